package clients

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

func TestAFlowSchemaIsCreatedReadUpdatedAndDeletedInProtobuf(t *testing.T) {
	client := typed(t, config(t)).FlowcontrolV1().FlowSchemas()
	wanted := flowSchema("typed-crud", map[string]string{"a": "b"})
	made, err := client.Create(t.Context(), wanted, metav1.CreateOptions{FieldManager: "typed"})
	must(t, err)
	if !apiequality.Semantic.DeepEqual(made.Spec, wanted.Spec) {
		t.Fatalf("the spec came back as %+v", made.Spec)
	}
	equal(t, "generation", made.Generation, 1)
	equal(t, "manager", made.ManagedFields[0].Manager, "typed")

	_, err = client.Create(t.Context(), wanted, metav1.CreateOptions{})
	equal(t, "a second create already exists", apierrors.IsAlreadyExists(err), true)

	must(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live, err := client.Get(t.Context(), "typed-crud", metav1.GetOptions{})
		if err != nil {
			return err
		}
		live.Spec.MatchingPrecedence = 8000
		live, err = client.Update(t.Context(), live, metav1.UpdateOptions{})
		if err == nil {
			equal(t, "generation", live.Generation, 2)
		}
		return err
	}))

	_, err = client.Update(t.Context(), made, metav1.UpdateOptions{})
	equal(t, "an update of what was is a conflict", apierrors.IsConflict(err), true)

	must(t, client.Delete(t.Context(), "typed-crud", *metav1.NewPreconditionDeleteOptions(string(made.UID))))
	_, err = client.Get(t.Context(), "typed-crud", metav1.GetOptions{})
	equal(t, "it is gone", apierrors.IsNotFound(err), true)
}

func TestInvalidObjectsAreRefusedWithACauseForEachField(t *testing.T) {
	client := typed(t, config(t)).FlowcontrolV1().FlowSchemas()
	wrong := flowSchema("typed-wrong", nil)
	wrong.Spec.PriorityLevelConfiguration.Name = ""
	wrong.Spec.MatchingPrecedence = 10001
	_, err := client.Create(t.Context(), wrong, metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) {
		t.Fatalf("not invalid: %v", err)
	}
	fields := map[string]bool{}
	for _, cause := range err.(apierrors.APIStatus).Status().Details.Causes {
		fields[cause.Field] = true
	}
	equal(t, "precedence", fields["spec.matchingPrecedence"], true)
	equal(t, "level", fields["spec.priorityLevelConfiguration.name"], true)
}

func TestAStatusUpdateChangesTheStatusAlone(t *testing.T) {
	client := typed(t, config(t)).FlowcontrolV1().FlowSchemas()
	_, err := client.Create(t.Context(), flowSchema("typed-status", nil), metav1.CreateOptions{})
	must(t, err)
	deleteAfter(t, client, "typed-status")
	must(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live, err := client.Get(t.Context(), "typed-status", metav1.GetOptions{})
		if err != nil {
			return err
		}
		live.Spec.MatchingPrecedence = 1
		live.Status.Conditions = append(live.Status.Conditions, flowcontrolv1.FlowSchemaCondition{
			Type: "Seen", Status: flowcontrolv1.ConditionTrue, Reason: "Test", LastTransitionTime: metav1.Now(),
		})
		live, err = client.UpdateStatus(t.Context(), live, metav1.UpdateOptions{})
		if err == nil {
			equal(t, "precedence", live.Spec.MatchingPrecedence, 9000)
			equal(t, "generation", live.Generation, 1)
			equal(t, "last condition", live.Status.Conditions[len(live.Status.Conditions)-1].Type, "Seen")
		}
		return err
	}))
}

func TestPagesOfAListAreOneListWhateverIsWrittenMeanwhile(t *testing.T) {
	client := typed(t, config(t)).FlowcontrolV1().FlowSchemas()
	labels := map[string]string{"pages": "yes"}
	for i := range 25 {
		_, err := client.Create(t.Context(), flowSchema(fmt.Sprintf("page-%02d", i), labels), metav1.CreateOptions{})
		must(t, err)
	}
	// Without a selector, so that the server counts what remains.
	all, err := client.List(t.Context(), metav1.ListOptions{})
	must(t, err)
	names, version := []string{}, ""
	options := metav1.ListOptions{Limit: 7}
	for {
		page, err := client.List(t.Context(), options)
		must(t, err)
		if version == "" {
			version = page.ResourceVersion
			// Comes between two pages, and must not be seen.
			_, err := client.Create(t.Context(), flowSchema("page-25-later", labels), metav1.CreateOptions{})
			must(t, err)
		}
		equal(t, "version", page.ResourceVersion, version)
		for _, item := range page.Items {
			names = append(names, item.Name)
		}
		if page.Continue == "" {
			break
		}
		equal(t, "remaining", int(*page.RemainingItemCount), len(all.Items)-len(names))
		options.Continue = page.Continue
	}
	equal(t, "items", len(names), len(all.Items))
	for i, item := range all.Items {
		equal(t, "name", names[i], item.Name)
	}

	selected := metav1.ListOptions{LabelSelector: "pages=yes"}
	must(t, client.DeleteCollection(t.Context(), metav1.DeleteOptions{}, selected))
	left, err := client.List(t.Context(), selected)
	must(t, err)
	equal(t, "left", len(left.Items), 0)
}

func TestAPriorityLevelLivesAndGoesWithItsCollection(t *testing.T) {
	client := typed(t, config(t)).FlowcontrolV1().PriorityLevelConfigurations()
	for i := range 3 {
		level := limitedLevel(fmt.Sprintf("typed-level-%d", i), 5)
		level.Labels = map[string]string{"levels": "yes"}
		made, err := client.Create(t.Context(), level, metav1.CreateOptions{})
		must(t, err)
		equal(t, "lendable, by default", *made.Spec.Limited.LendablePercent, 0)
	}
	must(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live, err := client.Get(t.Context(), "typed-level-0", metav1.GetOptions{})
		if err != nil {
			return err
		}
		live.Spec.Limited.LendablePercent = new(int32)
		*live.Spec.Limited.LendablePercent = 50
		_, err = client.Update(t.Context(), live, metav1.UpdateOptions{})
		return err
	}))
	selected := metav1.ListOptions{LabelSelector: "levels=yes"}
	must(t, client.DeleteCollection(t.Context(), metav1.DeleteOptions{}, selected))
	left, err := client.List(t.Context(), selected)
	must(t, err)
	equal(t, "left", len(left.Items), 0)
}

func TestConfigMapsAndSecretsKeepTheirBytes(t *testing.T) {
	client := typed(t, config(t))
	space := namespace(t, client)
	bytes := []byte{0, 1, 0xff, 0xfe, '\n'}
	made, err := client.CoreV1().ConfigMaps(space).Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "bytes"},
		Data:       map[string]string{"text": "ü\n\"x\""},
		BinaryData: map[string][]byte{"raw": bytes},
	}, metav1.CreateOptions{})
	must(t, err)
	equal(t, "text", made.Data["text"], "ü\n\"x\"")
	equal(t, "bytes", string(made.BinaryData["raw"]), string(bytes))
	secret, err := client.CoreV1().Secrets(space).Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "secret-"},
		StringData: map[string]string{"key": "value"},
	}, metav1.CreateOptions{})
	must(t, err)
	equal(t, "key", string(secret.Data["key"]), "value")
	equal(t, "type", secret.Type, corev1.SecretTypeOpaque)
}

func TestADeploymentIsScaledThroughItsSubresource(t *testing.T) {
	client := typed(t, config(t))
	deployments := client.AppsV1().Deployments(namespace(t, client))
	labels := map[string]string{"app": "web"}
	made, err := deployments.Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1"}}},
			},
		},
	}, metav1.CreateOptions{})
	must(t, err)
	equal(t, "replicas, by default", *made.Spec.Replicas, 1)
	equal(t, "strategy, by default", made.Spec.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)

	scale, err := deployments.GetScale(t.Context(), "web", metav1.GetOptions{})
	must(t, err)
	scale.Spec.Replicas = 7
	_, err = deployments.UpdateScale(t.Context(), "web", scale, metav1.UpdateOptions{})
	must(t, err)
	live, err := deployments.Get(t.Context(), "web", metav1.GetOptions{})
	must(t, err)
	equal(t, "replicas", *live.Spec.Replicas, 7)
	equal(t, "generation", live.Generation, 2)
}

func TestAPodIsBoundAndGetsItsStatus(t *testing.T) {
	client := typed(t, config(t))
	pods := client.CoreV1().Pods(namespace(t, client))
	_, err := pods.Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "one"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "one", Image: "one:1"}}},
	}, metav1.CreateOptions{})
	must(t, err)
	must(t, pods.Bind(t.Context(), &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: "one"},
		Target:     corev1.ObjectReference{Kind: "Node", Name: "node-1"},
	}, metav1.CreateOptions{}))
	live, err := pods.Get(t.Context(), "one", metav1.GetOptions{})
	must(t, err)
	equal(t, "node", live.Spec.NodeName, "node-1")
	equal(t, "phase", live.Status.Phase, corev1.PodPending)
	live.Status.Phase = corev1.PodRunning
	live.Status.PodIP = "10.1.2.3"
	_, err = pods.UpdateStatus(t.Context(), live, metav1.UpdateOptions{})
	must(t, err)
	byNode, err := pods.List(t.Context(), metav1.ListOptions{FieldSelector: "spec.nodeName=node-1,status.phase=Running"})
	must(t, err)
	equal(t, "pods on the node", len(byNode.Items), 1)
	now := int64(0)
	must(t, pods.Delete(t.Context(), "one", metav1.DeleteOptions{GracePeriodSeconds: &now}))
}
