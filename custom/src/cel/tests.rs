use serde_json::{Value as Json, json};

use super::*;
use crate::schema::{Node, type_of};

/// The type of the values of a schema.
fn of_schema(schema: &Json) -> Type {
    type_of(&Node::parse(schema).unwrap()).unwrap()
}

fn widget() -> Json {
    json!({"type": "object", "properties": {
        "n": {"type": "integer"},
        "f": {"type": "number"},
        "s": {"type": "string"},
        "b": {"type": "boolean"},
        "any": {"x-kubernetes-int-or-string": true},
        "when": {"type": "string", "format": "date-time"},
        "long": {"type": "string", "format": "duration"},
        "bytes": {"type": "string", "format": "byte"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "set": {"type": "array", "items": {"type": "integer"}, "x-kubernetes-list-type": "set"},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "items": {"type": "object", "properties": {"name": {"type": "string"}, "port": {"type": "integer"}}}},
        "a.b-c": {"type": "integer"},
        "namespace": {"type": "integer"},
    }})
}

fn value() -> Json {
    json!({"n": 3, "f": 1, "s": "Hello", "b": true, "any": "10%", "when": "2024-02-29T12:30:00Z",
        "long": "1h30m", "bytes": "aGk=", "tags": ["a", "b", "c"], "set": [1, 2],
        "map": {"x": 1, "y": 2}, "ports": [{"name": "http", "port": 80}, {"name": "dns", "port": 53}],
        "a.b-c": 7, "namespace": 8})
}

fn compile(text: &str) -> Result<Program, String> {
    let variable = Variable { name: "self".to_owned(), value_type: of_schema(&widget()) };
    Program::compile(text, &[variable]).map_err(|error| error.to_string())
}

/// What an expression gives, as `string` or `format` would write it.
fn evaluated(text: &str) -> String {
    let value_type = of_schema(&widget());
    let variable = Variable { name: "self".to_owned(), value_type: value_type.clone() };
    let program = match Program::compile(text, &[variable]) {
        Ok(program) => program,
        Err(error) => return error.to_string(),
    };
    let json = value();
    let this = Value::of_json(&json, &value_type).unwrap();
    let (value, _) = program.evaluate(vec![this], 1_000_000);
    match value {
        Ok(value) => functions::shown(&value),
        Err(error) => format!("error: {error}"),
    }
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(evaluated(text), *expected, "{text}");
    }
}

#[test]
fn fields_are_found_by_their_escaped_names() {
    check(&[
        ("self.n + 1", "4"),
        ("self.a__dot__b__dash__c", "7"),
        ("self.__namespace__", "8"),
        ("has(self.n) && !has(self.map.z)", "true"),
        ("self.map.x + self.map['y']", "3"),
        ("self.map.z", "error: no such key: z"),
        ("self.tags[3]", "error: index out of bounds: 3"),
        ("self.f == 1.0 && self.f < 2", "true"),
    ]);
}

#[test]
fn numbers_do_not_overflow_in_silence() {
    check(&[
        ("9223372036854775807 + 1", "error: integer overflow"),
        ("1 / 0", "error: division by zero"),
        ("1 % 0", "error: modulus by zero"),
        ("7 / 2 * 2 + 7 % 2", "7"),
        ("-self.n", "-3"),
        ("1u + 2u", "3"),
        ("1 < 2.5 && 3u > 2", "true"),
    ]);
}

#[test]
fn what_decides_decides_though_the_other_side_fails() {
    check(&[
        ("true || 1 / 0 == 1", "true"),
        ("1 / 0 == 1 || true", "true"),
        ("1 / 0 == 1 && false", "false"),
        ("1 / 0 == 1 && true", "error: division by zero"),
        ("[1, 0].exists(x, 1 / x == 1)", "true"),
        ("[0, 2].all(x, 1 / x == 1)", "false"),
        ("[0].all(x, 1 / x == 1)", "error: division by zero"),
        ("self.n > 2 ? 'more' : 'less'", "more"),
    ]);
}

#[test]
fn macros_go_over_lists_and_maps() {
    check(&[
        ("self.tags.all(t, t < 'd')", "true"),
        ("self.ports.exists(p, p.port == 53)", "true"),
        ("self.ports.exists_one(p, p.port > 0)", "false"),
        ("self.ports.map(p, p.name)", "[\"http\", \"dns\"]"),
        ("self.ports.map(p, p.port > 60, p.name)", "[\"http\"]"),
        ("self.tags.filter(t, t != 'b')", "[\"a\", \"c\"]"),
        ("self.map.all(k, k in ['x', 'y'])", "true"),
        ("self.tags.all(i, t, i < 3 && t != '')", "true"),
        ("self.map.exists(k, v, k == 'y' && v == 2)", "true"),
        ("self.tags.transformList(i, t, t + string(i))", "[\"a0\", \"b1\", \"c2\"]"),
        ("self.tags.map(t, self.tags.map(u, t + u)).size()", "3"),
    ]);
}

#[test]
fn optional_values_may_not_be_there() {
    check(&[
        ("self.?n.orValue(0)", "3"),
        ("self.map.?z.hasValue()", "false"),
        ("self.map[?'y'].value() == 2 && !self.tags[?9].hasValue()", "true"),
        ("optional.none().orValue(5)", "5"),
        ("optional.of(3).optMap(x, x + 1).value()", "4"),
        ("self.map.?z.optMap(x, x + 1).orValue(9)", "9"),
        ("[?self.map.?z, ?self.map.?x]", "[1]"),
        ("optional.ofNonZeroValue('').hasValue()", "false"),
    ]);
}

#[test]
fn text_is_searched_and_changed() {
    check(&[
        ("self.s.contains('ell') && self.s.startsWith('He') && self.s.endsWith('lo')", "true"),
        ("self.s.matches('^[A-Z][a-z]+$')", "true"),
        ("'a1b22'.find('[0-9]+') + 'x' + 'a1b22'.findAll('[0-9]+').join(',')", "1x1,22"),
        ("self.s.lowerAscii() + self.s.upperAscii()", "helloHELLO"),
        ("'  x '.trim() + 'abc'.substring(1) + 'abc'.substring(0, 1)", "xbca"),
        ("'a,b,c'.split(',') == ['a', 'b', 'c'] && 'a-b'.replace('-', '+') == 'a+b'", "true"),
        ("'éa'.size() + 'éa'.indexOf('a') + 'aba'.lastIndexOf('a')", "5"),
        ("'abc'.charAt(1)", "b"),
        ("'%s is %d of %.1f'.format(['x', 1, 2.0])", "x is 1 of 2.0"),
        ("strings.quote('a\"b')", "\"a\\\"b\""),
        ("'abc'.substring(9)", "error: index out of range: 9"),
    ]);
}

#[test]
fn lists_are_summed_sorted_and_compared() {
    check(&[
        ("[1, 3, 2].max() + [1, 3, 2].min() + [1, 3, 2].sum()", "10"),
        ("[1, 2, 3].isSorted() && !['b', 'a'].isSorted()", "true"),
        ("['a', 'b', 'a'].indexOf('a') + ['a', 'b', 'a'].lastIndexOf('a')", "2"),
        ("self.set == [2, 1] && self.tags != ['c', 'b', 'a']", "true"),
        ("(self.set + [2, 3]).size()", "3"),
        ("(self.tags + ['a']).size()", "4"),
        (
            "sets.contains([1, 2, 3], [2]) && sets.intersects([1], [1, 2]) && sets.equivalent([1, 1], [1])",
            "true",
        ),
        (
            "self.ports == self.ports.filter(p, p.port < 60) + self.ports.filter(p, p.port > 60)",
            "true",
        ),
    ]);
}

#[test]
fn amounts_addresses_and_times_have_functions() {
    check(&[
        (
            "quantity('1.5Gi').isGreaterThan(quantity('1Gi')) && quantity('1k').asInteger() == 1000",
            "true",
        ),
        ("quantity('1').add(2).sub(quantity('500m')).asApproximateFloat()", "2.5"),
        ("isQuantity('x') || quantity('1').compareTo(quantity('2')) == 1", "false"),
        (
            "url('https://u@example.com:80/p?a=1').getHostname() + url('https://x/p').getEscapedPath()",
            "example.com/p",
        ),
        ("url('https://[::1]:80/').getPort() == '80' && isURL('/a') && !isURL('a b')", "true"),
        (
            "ip('10.0.0.1').family() == 4 && isIP('::1') && ip('::1').isLoopback() && !isIP('1')",
            "true",
        ),
        (
            "cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsCIDR('10.0.0.0/7')",
            "true",
        ),
        ("string(cidr('10.1.2.3/8').masked())", "10.0.0.0/8"),
        (
            "format.dns1123Label().validate('a_b').hasValue() && format.named('uuid').hasValue()",
            "true",
        ),
        ("!format.dns1123Label().validate('a-b').hasValue()", "true"),
        ("self.when.getFullYear() + self.when.getMonth() + self.when.getHours()", "2037"),
        ("self.when.getHours('+02:00') + self.when.getHours('Europe/Berlin')", "27"),
        ("string(self.when + self.long)", "2024-02-29T14:00:00Z"),
        ("self.long.getMinutes() == 90 && self.long == duration('90m')", "true"),
        ("string(self.bytes) + string(1.5) + string(true)", "hi1.5true"),
        ("type(self.any) == string && self.any.endsWith('%')", "true"),
        ("self.any + 1", "error: no such overload"),
        ("int('5') + int(2.9) + int(self.when) % 2", "7"),
    ]);
}

#[test]
fn problems_are_named_with_their_place() {
    for (text, problem) in [
        ("self.z", "ERROR: <input>:1:5: undefined field 'z'\n | self.z\n | ....^"),
        (
            "self.n == 'x'",
            "ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(int, string)'\n | self.n == 'x'\n | .......^",
        ),
        (
            "self.n.z",
            "ERROR: <input>:1:7: type 'int' does not support field selection\n | self.n.z\n | ......^",
        ),
        (
            "foo",
            "ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo\n | ^",
        ),
        (
            "self.s.foo(1)",
            "ERROR: <input>:1:11: undeclared reference to 'foo' (in container '')\n | self.s.foo(1)\n | ..........^",
        ),
        (
            "self.s.startsWith(1)",
            "ERROR: <input>:1:18: found no matching overload for 'startsWith' applied to 'string.(int)'\n | self.s.startsWith(1)\n | .................^",
        ),
        (
            "self.n.all(x, true)",
            "ERROR: <input>:1:5: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)\n | self.n.all(x, true)\n | ....^",
        ),
        (
            "[1, 'a']",
            "ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, 'a']\n | ....^",
        ),
        (
            "self.z == self.y",
            "ERROR: <input>:1:5: undefined field 'z'\n | self.z == self.y\n | ....^\nERROR: <input>:1:15: undefined field 'y'\n | self.z == self.y\n | ..............^",
        ),
        (
            "self.s.matches('(')",
            "ERROR: <input>:1:16: invalid matches argument\n | self.s.matches('(')\n | ...............^",
        ),
        (
            "1 +",
            "ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 1 +\n | ...^",
        ),
    ] {
        assert_eq!(
            compile(text).err().unwrap_or_default(),
            format!("compilation failed: {problem}"),
            "{text}"
        );
    }
}

#[test]
fn costs_follow_the_sizes_of_values() {
    let cost = |text: &str| compile(text).unwrap().cost_max;
    assert_eq!(cost("1 + 2"), 1);
    assert_eq!(cost("self.n > 2"), 3);
    assert_eq!(cost("has(self.n)"), 1);
    assert!(cost("self.tags.all(t, t == 'x')") < 10_000_000);
    assert!(cost("self.tags.all(t, self.tags.all(u, t == u))") > 1_000_000_000);
}

#[test]
fn what_costs_too_much_is_stopped() {
    let program = compile("[1,2,3,4,5,6,7,8].all(a, [1,2,3,4,5,6,7,8].all(b, [1,2,3,4,5,6,7,8].all(c, a + b + c > 0)))").unwrap();
    let json = value();
    let value_type = of_schema(&widget());
    let this = || vec![Value::of_json(&json, &value_type).unwrap()];
    let (value, cost) = program.evaluate(this(), 1000);
    assert!(matches!(value, Err(EvalError::TooCostly)) && cost > 1000);
    let (value, cost) = program.evaluate(this(), 1_000_000);
    assert!(matches!(value, Ok(Value::Bool(true))));
    assert!(cost <= program.cost_max, "{cost} {}", program.cost_max);
}

#[test]
fn no_expression_exhausts_the_stack() {
    let variable = Variable { name: "self".to_owned(), value_type: Type::anything() };
    for (before, middle, after, may_be_long) in [
        ("(", "1", ")", false),
        ("!", "true", "", true),
        ("- ", "self", "", false),
        ("[", "1", "]", false),
        ("{1: ", "1", "}", false),
        ("", "1", " + 1", false),
        ("", "true", " && true", true),
        ("", "self", ".a", false),
        ("", "self", "[0]", false),
        ("", "[1]", ".map(x, x)", false),
        ("true ? 1 : ", "1", "", false),
        ("[1].all(x, ", "true", ")", false),
    ] {
        let repeated = |times| before.repeat(times) + middle + &after.repeat(times);
        let deep = Program::compile(&repeated(240), std::slice::from_ref(&variable));
        let (_, cost) = deep.unwrap().evaluate(vec![Value::Int(1)], 1_000_000);
        assert!(cost < 10_000, "{before}{middle}{after} costs {cost}");

        let longest = (CHARACTERS_MAX - middle.len()) / (before.len() + after.len());
        let long = Program::compile(&repeated(longest), std::slice::from_ref(&variable));
        assert_eq!(long.is_ok(), may_be_long, "{before}{middle}{after}");
    }
}
