//! What the functions do. Arguments have been checked where their types were known; where they were
//! not, other values are `no such overload`.

mod convert;
mod format;
mod lists;
mod net;
mod operators;
mod optional;
mod quantity;
mod regex;
mod semver;
mod strings;
mod text_format;
mod time;
mod url;

use std::cmp::Ordering;

use super::cost::Model;
use super::eval::EvalError;
use super::signature::Native;
use super::value::Value;

pub(super) use semver::Semver;

type Evaluated<'v> = Result<Value<'v>, EvalError>;

/// What `compareTo` says: -1, 0, or 1.
fn sign_of(order: Ordering) -> Value<'static> {
    Value::Int(match order {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    })
}

fn mismatch<'v>() -> Evaluated<'v> {
    Err(EvalError::NoSuchOverload)
}

/// What is wrong with a template of `format`.
pub(super) fn clause_problem(template: &str) -> Option<String> {
    text_format::clause_problem(template)
}

/// A value as text.
#[cfg(test)]
pub(super) fn shown(value: &Value<'_>) -> String {
    text_format::plain(value).unwrap_or_else(|_| format!("{value:?}"))
}

/// Signatures, separated by semicolons; the function; what it costs.
pub(super) const TABLE: &[(&str, Native, Model)] = &[
    ("_==_(A, A) bool", operators::equal, Model::Compare),
    ("_!=_(A, A) bool", operators::not_equal, Model::Compare),
    (
        "_<_(bool, bool) bool; _<_(int, int) bool; _<_(uint, uint) bool; _<_(double, double) bool;
         _<_(int, uint) bool; _<_(int, double) bool; _<_(uint, int) bool; _<_(uint, double) bool;
         _<_(double, int) bool; _<_(double, uint) bool; _<_(timestamp, timestamp) bool;
         _<_(duration, duration) bool",
        operators::less,
        Model::One,
    ),
    ("_<_(string, string) bool; _<_(bytes, bytes) bool", operators::less, Model::Compare),
    (
        "_<=_(bool, bool) bool; _<=_(int, int) bool; _<=_(uint, uint) bool;
         _<=_(double, double) bool; _<=_(int, uint) bool; _<=_(int, double) bool;
         _<=_(uint, int) bool; _<=_(uint, double) bool; _<=_(double, int) bool;
         _<=_(double, uint) bool; _<=_(timestamp, timestamp) bool; _<=_(duration, duration) bool",
        operators::less_or_equal,
        Model::One,
    ),
    (
        "_<=_(string, string) bool; _<=_(bytes, bytes) bool",
        operators::less_or_equal,
        Model::Compare,
    ),
    (
        "_>_(bool, bool) bool; _>_(int, int) bool; _>_(uint, uint) bool; _>_(double, double) bool;
         _>_(int, uint) bool; _>_(int, double) bool; _>_(uint, int) bool; _>_(uint, double) bool;
         _>_(double, int) bool; _>_(double, uint) bool; _>_(timestamp, timestamp) bool;
         _>_(duration, duration) bool",
        operators::greater,
        Model::One,
    ),
    ("_>_(string, string) bool; _>_(bytes, bytes) bool", operators::greater, Model::Compare),
    (
        "_>=_(bool, bool) bool; _>=_(int, int) bool; _>=_(uint, uint) bool;
         _>=_(double, double) bool; _>=_(int, uint) bool; _>=_(int, double) bool;
         _>=_(uint, int) bool; _>=_(uint, double) bool; _>=_(double, int) bool;
         _>=_(double, uint) bool; _>=_(timestamp, timestamp) bool; _>=_(duration, duration) bool",
        operators::greater_or_equal,
        Model::One,
    ),
    (
        "_>=_(string, string) bool; _>=_(bytes, bytes) bool",
        operators::greater_or_equal,
        Model::Compare,
    ),
    ("_&&_(bool, bool) bool", operators::not_called, Model::One),
    ("_||_(bool, bool) bool", operators::not_called, Model::One),
    ("_?_:_(bool, A, A) A", operators::not_called, Model::One),
    ("!_(bool) bool", operators::not, Model::One),
    ("-_(int) int; -_(double) double", operators::negate, Model::One),
    (
        "_+_(int, int) int; _+_(uint, uint) uint; _+_(double, double) double;
         _+_(list<A>, list<A>) list<A>; _+_(timestamp, duration) timestamp;
         _+_(duration, timestamp) timestamp; _+_(duration, duration) duration",
        operators::add,
        Model::One,
    ),
    ("_+_(string, string) string; _+_(bytes, bytes) bytes", operators::add, Model::Concat),
    (
        "_-_(int, int) int; _-_(uint, uint) uint; _-_(double, double) double;
         _-_(timestamp, timestamp) duration; _-_(timestamp, duration) timestamp;
         _-_(duration, duration) duration",
        operators::subtract,
        Model::One,
    ),
    (
        "_*_(int, int) int; _*_(uint, uint) uint; _*_(double, double) double",
        operators::multiply,
        Model::One,
    ),
    (
        "_/_(int, int) int; _/_(uint, uint) uint; _/_(double, double) double",
        operators::divide,
        Model::One,
    ),
    ("_%_(int, int) int; _%_(uint, uint) uint", operators::modulo, Model::One),
    ("@in(A, list<A>) bool", operators::among, Model::Among),
    ("@in(A, map<A, B>) bool", operators::among, Model::One),
    ("_[_](list<A>, int) A; _[_](map<A, B>, A) B", operators::index, Model::One),
    (
        "_[_](optional<list<A>>, int) optional<A>; _[_](optional<map<A, B>>, A) optional<B>;
         _[?_](list<A>, int) optional<A>; _[?_](map<A, B>, A) optional<B>;
         _[?_](optional<list<A>>, int) optional<A>; _[?_](optional<map<A, B>>, A) optional<B>",
        operators::optional_index,
        Model::One,
    ),
    (
        "size(string) int; size(bytes) int; size(list<A>) int; size(map<A, B>) int;
         string.size() int; bytes.size() int; list<A>.size() int; map<A, B>.size() int",
        operators::size,
        Model::One,
    ),
    ("type(A) type", convert::type_of, Model::One),
    ("dyn(A) dyn", convert::same, Model::One),
    (
        "int(int) int; int(uint) int; int(double) int; int(string) int; int(timestamp) int",
        convert::int,
        Model::One,
    ),
    (
        "uint(uint) uint; uint(int) uint; uint(double) uint; uint(string) uint",
        convert::uint,
        Model::One,
    ),
    (
        "double(double) double; double(int) double; double(uint) double; double(string) double",
        convert::double,
        Model::One,
    ),
    (
        "string(int) string; string(uint) string; string(double) string; string(bool) string;
         string(timestamp) string; string(duration) string; string(ip) string; string(cidr) string",
        convert::string,
        Model::One,
    ),
    ("string(string) string; string(bytes) string", convert::string, Model::Read),
    ("bytes(string) bytes; bytes(bytes) bytes", convert::bytes, Model::Read),
    ("bool(bool) bool; bool(string) bool", convert::bool, Model::One),
    ("duration(duration) duration; duration(string) duration", time::duration, Model::One),
    (
        "timestamp(timestamp) timestamp; timestamp(string) timestamp; timestamp(int) timestamp",
        time::timestamp,
        Model::One,
    ),
    ("timestamp.getFullYear() int; timestamp.getFullYear(string) int", time::full_year, Model::One),
    ("timestamp.getMonth() int; timestamp.getMonth(string) int", time::month, Model::One),
    ("timestamp.getDate() int; timestamp.getDate(string) int", time::date, Model::One),
    (
        "timestamp.getDayOfMonth() int; timestamp.getDayOfMonth(string) int",
        time::day_of_month,
        Model::One,
    ),
    (
        "timestamp.getDayOfYear() int; timestamp.getDayOfYear(string) int",
        time::day_of_year,
        Model::One,
    ),
    (
        "timestamp.getDayOfWeek() int; timestamp.getDayOfWeek(string) int",
        time::day_of_week,
        Model::One,
    ),
    (
        "timestamp.getHours() int; timestamp.getHours(string) int; duration.getHours() int",
        time::hours,
        Model::One,
    ),
    (
        "timestamp.getMinutes() int; timestamp.getMinutes(string) int; duration.getMinutes() int",
        time::minutes,
        Model::One,
    ),
    (
        "timestamp.getSeconds() int; timestamp.getSeconds(string) int; duration.getSeconds() int",
        time::seconds,
        Model::One,
    ),
    (
        "timestamp.getMilliseconds() int; timestamp.getMilliseconds(string) int;
         duration.getMilliseconds() int",
        time::milliseconds,
        Model::One,
    ),
    ("string.contains(string) bool", strings::contains, Model::Search),
    ("string.startsWith(string) bool", strings::starts_with, Model::ReadSecond),
    ("string.endsWith(string) bool", strings::ends_with, Model::ReadSecond),
    ("string.charAt(int) string", strings::char_at, Model::Read),
    ("string.indexOf(string) int; string.indexOf(string, int) int", strings::index_of, Model::Read),
    (
        "string.lastIndexOf(string) int; string.lastIndexOf(string, int) int",
        strings::last_index_of,
        Model::Read,
    ),
    ("string.lowerAscii() string", strings::lower_ascii, Model::Read),
    ("string.upperAscii() string", strings::upper_ascii, Model::Read),
    ("string.trim() string", strings::trim, Model::Read),
    (
        "string.substring(int) string; string.substring(int, int) string",
        strings::substring,
        Model::Read,
    ),
    (
        "string.replace(string, string) string; string.replace(string, string, int) string",
        strings::replace,
        Model::ReadTwice,
    ),
    (
        "string.split(string) list<string>; string.split(string, int) list<string>",
        strings::split,
        Model::ReadTwice,
    ),
    (
        "list<string>.join() string; list<string>.join(string) string",
        strings::join,
        Model::Join,
    ),
    (":strings.quote(string) string", strings::quote, Model::ReadTwice),
    ("string.format(list<dyn>) string", text_format::format, Model::ReadTwice),
    ("string.matches(string) bool; matches(string, string) bool", regex::matches, Model::Regex),
    ("string.find(string) string", regex::find, Model::Regex),
    (
        "string.findAll(string) list<string>; string.findAll(string, int) list<string>",
        regex::find_all,
        Model::Regex,
    ),
    (
        "list<int>.isSorted() bool; list<uint>.isSorted() bool; list<double>.isSorted() bool;
         list<string>.isSorted() bool; list<bytes>.isSorted() bool; list<bool>.isSorted() bool;
         list<duration>.isSorted() bool; list<timestamp>.isSorted() bool",
        lists::is_sorted,
        Model::Items,
    ),
    (
        "list<int>.sum() int; list<uint>.sum() uint; list<double>.sum() double;
         list<duration>.sum() duration",
        lists::sum,
        Model::Items,
    ),
    (
        "list<int>.min() int; list<uint>.min() uint; list<double>.min() double;
         list<string>.min() string; list<bytes>.min() bytes; list<bool>.min() bool;
         list<duration>.min() duration; list<timestamp>.min() timestamp",
        lists::min,
        Model::Items,
    ),
    (
        "list<int>.max() int; list<uint>.max() uint; list<double>.max() double;
         list<string>.max() string; list<bytes>.max() bytes; list<bool>.max() bool;
         list<duration>.max() duration; list<timestamp>.max() timestamp",
        lists::max,
        Model::Items,
    ),
    ("list<A>.indexOf(A) int", lists::index_of, Model::Items),
    ("list<A>.lastIndexOf(A) int", lists::last_index_of, Model::Items),
    ("list<A>.includes(A) bool", lists::includes, Model::Items),
    ("list<A>.reverse() list<A>", lists::reverse, Model::Items),
    ("list<A>.slice(int, int) list<A>", lists::slice, Model::Items),
    ("list<list<A>>.flatten() list<A>; list<dyn>.flatten(int) list<dyn>", lists::flatten, Model::Items),
    ("list<A>.distinct() list<A>", lists::distinct, Model::Squared),
    (
        "list<int>.sort() list<int>; list<uint>.sort() list<uint>; list<double>.sort() list<double>;
         list<string>.sort() list<string>; list<bytes>.sort() list<bytes>;
         list<bool>.sort() list<bool>; list<duration>.sort() list<duration>;
         list<timestamp>.sort() list<timestamp>",
        lists::sort,
        Model::Items,
    ),
    (":lists.range(int) list<int>", lists::range, Model::Range),
    (":sets.contains(list<A>, list<A>) bool", lists::contains, Model::Pairs),
    (":sets.equivalent(list<A>, list<A>) bool", lists::equivalent, Model::Pairs),
    (":sets.intersects(list<A>, list<A>) bool", lists::intersects, Model::Pairs),
    ("quantity(string) quantity", quantity::quantity, Model::Read),
    ("isQuantity(string) bool", quantity::is_quantity, Model::Read),
    ("quantity.isInteger() bool", quantity::is_integer, Model::One),
    ("quantity.asInteger() int", quantity::as_integer, Model::One),
    ("quantity.asApproximateFloat() double", quantity::as_float, Model::One),
    ("sign(quantity) int", quantity::sign, Model::One),
    ("quantity.add(quantity) quantity; quantity.add(int) quantity", quantity::add, Model::One),
    ("quantity.sub(quantity) quantity; quantity.sub(int) quantity", quantity::subtract, Model::One),
    ("quantity.isLessThan(quantity) bool", quantity::is_less, Model::One),
    ("quantity.isGreaterThan(quantity) bool", quantity::is_greater, Model::One),
    ("quantity.compareTo(quantity) int", quantity::compare, Model::One),
    ("semver(string) semver; semver(string, bool) semver", semver::semver, Model::Read),
    ("isSemver(string) bool; isSemver(string, bool) bool", semver::is_semver, Model::Read),
    ("semver.major() int", semver::major, Model::One),
    ("semver.minor() int", semver::minor, Model::One),
    ("semver.patch() int", semver::patch, Model::One),
    ("semver.isLessThan(semver) bool", semver::is_less, Model::One),
    ("semver.isGreaterThan(semver) bool", semver::is_greater, Model::One),
    ("semver.compareTo(semver) int", semver::compare, Model::One),
    ("url(string) url", url::url, Model::Read),
    ("isURL(string) bool", url::is_url, Model::Read),
    ("url.getScheme() string", url::scheme, Model::One),
    ("url.getHost() string", url::host, Model::One),
    ("url.getHostname() string", url::host_name, Model::One),
    ("url.getPort() string", url::port, Model::One),
    ("url.getEscapedPath() string", url::path, Model::One),
    ("url.getQuery() map<string, list<string>>", url::query, Model::One),
    ("ip(string) ip", net::ip, Model::Read),
    ("isIP(string) bool", net::is_ip, Model::Read),
    (":ip.isCanonical(string) bool", net::is_canonical, Model::ReadTwice),
    ("ip.family() int", net::family, Model::One),
    ("ip.isUnspecified() bool", net::is_unspecified, Model::One),
    ("ip.isLoopback() bool", net::is_loopback, Model::One),
    ("ip.isLinkLocalMulticast() bool", net::is_link_local_multicast, Model::One),
    ("ip.isLinkLocalUnicast() bool", net::is_link_local_unicast, Model::One),
    ("ip.isGlobalUnicast() bool", net::is_global_unicast, Model::One),
    ("cidr(string) cidr", net::cidr, Model::Read),
    ("isCIDR(string) bool", net::is_cidr, Model::Read),
    ("cidr.containsIP(ip) bool; cidr.containsIP(string) bool", net::contains_ip, Model::ReadSecond),
    (
        "cidr.containsCIDR(cidr) bool; cidr.containsCIDR(string) bool",
        net::contains_cidr,
        Model::ReadSecond,
    ),
    ("cidr.ip() ip", net::cidr_ip, Model::One),
    ("cidr.masked() cidr", net::masked, Model::One),
    ("cidr.prefixLength() int", net::prefix_length, Model::One),
    (":format.named(string) optional<format>", format::named, Model::One),
    (":format.dns1123Label() format", format::dns1123_label, Model::One),
    (":format.dns1123Subdomain() format", format::dns1123_subdomain, Model::One),
    (":format.dns1035Label() format", format::dns1035_label, Model::One),
    (":format.qualifiedName() format", format::qualified_name, Model::One),
    (":format.labelValue() format", format::label_value, Model::One),
    (":format.uri() format", format::uri, Model::One),
    (":format.uuid() format", format::uuid, Model::One),
    (":format.byte() format", format::byte, Model::One),
    (":format.date() format", format::date, Model::One),
    (":format.datetime() format", format::date_time, Model::One),
    ("format.validate(string) optional<list<string>>", format::validate, Model::Format),
    (":optional.of(A) optional<A>", optional::of, Model::One),
    (":optional.none() optional<A>", optional::none, Model::One),
    (":optional.ofNonZeroValue(A) optional<A>", optional::of_non_zero, Model::One),
    ("optional<A>.hasValue() bool", optional::has_value, Model::One),
    ("optional<A>.value() A", optional::value, Model::One),
    ("optional<A>.orValue(A) A", optional::or_value, Model::One),
    ("optional<A>.or(optional<A>) optional<A>", optional::or, Model::One),
];
