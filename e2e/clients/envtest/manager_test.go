package envtest

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "example.com/last-words"

var widgetKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

func newWidget(name string) *unstructured.Unstructured {
	widget := &unstructured.Unstructured{}
	widget.SetGroupVersionKind(widgetKind)
	widget.SetNamespace("default")
	widget.SetName(name)
	return widget
}

// reconciler owns a config map for each widget, applied by the server's side, says how many are
// ready, and keeps a finalizer.
type reconciler struct{ client.Client }

func (r reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	widget := newWidget(request.Name)
	if err := r.Get(ctx, request.NamespacedName, widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if widget.GetDeletionTimestamp() != nil {
		if controllerutil.RemoveFinalizer(widget, finalizer) {
			return ctrl.Result{}, r.Update(ctx, widget)
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(widget, finalizer) {
		return ctrl.Result{}, r.Update(ctx, widget)
	}
	size, _, err := unstructured.NestedInt64(widget.Object, "spec", "size")
	if err != nil {
		return ctrl.Result{}, err
	}
	owned := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata":   map[string]any{"namespace": request.Namespace, "name": request.Name},
		"data":       map[string]any{"widget": request.Name},
	}}
	if err := controllerutil.SetControllerReference(widget, owned, r.Scheme()); err != nil {
		return ctrl.Result{}, err
	}
	applied := client.ApplyConfigurationFromUnstructured(owned)
	if err := r.Apply(ctx, applied, client.FieldOwner("widgets"), client.ForceOwnership); err != nil {
		return ctrl.Result{}, err
	}
	if err := unstructured.SetNestedField(widget.Object, size, "status", "ready"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Status().Update(ctx, widget)
}

// TestAManagerReconcilesCustomResources runs a manager with leader election until a widget came to
// life, changed and went.
func TestAManagerReconcilesCustomResources(t *testing.T) {
	ctx, stop := context.WithCancel(within(t))
	lease := 2 * time.Second
	renew, retry := lease/2, lease/8
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Metrics:                       server.Options{BindAddress: "0"},
		LeaderElection:                true,
		LeaderElectionID:              "widgets",
		LeaderElectionNamespace:       "default",
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &lease,
		RenewDeadline:                 &renew,
		RetryPeriod:                   &retry,
	})
	if err != nil {
		t.Fatal(err)
	}
	owned := &corev1.ConfigMap{}
	err = ctrl.NewControllerManagedBy(manager).For(newWidget("")).Owns(owned).
		Complete(reconciler{manager.GetClient()})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	if !manager.GetCache().WaitForCacheSync(ctx) {
		t.Fatal("the caches do not fill")
	}

	direct, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	widget := newWidget("one")
	// Defaults are for what is there: without a spec there would be no size either.
	widget.Object["spec"] = map[string]any{}
	if err := direct.Create(ctx, widget); err != nil {
		t.Fatal(err)
	}
	key := client.ObjectKeyFromObject(widget)
	ready := func(wanted int64) {
		t.Helper()
		eventually(t, "the status says how many are ready", func() (bool, error) {
			if err := direct.Get(ctx, key, widget); err != nil {
				return false, err
			}
			got, _, err := unstructured.NestedInt64(widget.Object, "status", "ready")
			return got == wanted, err
		})
	}
	ready(3)
	if err := direct.Get(ctx, key, owned); err != nil || !metav1.IsControlledBy(owned, widget) {
		t.Fatalf("the config map is not the widget's: %v %v", err, owned.OwnerReferences)
	}

	before := widget.GetGeneration()
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"size":5}}`))
	if err := direct.Patch(ctx, widget, patch); err != nil {
		t.Fatal(err)
	}
	if widget.GetGeneration() != before+1 {
		t.Fatalf("generation %d after %d", widget.GetGeneration(), before)
	}
	ready(5)

	// What somebody takes away comes back.
	if err := direct.Delete(ctx, owned); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the config map is there again", func() (bool, error) {
		err := direct.Get(ctx, key, owned)
		return err == nil, err
	})

	if err := direct.Delete(ctx, widget); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the widget is gone", func() (bool, error) {
		err := direct.Get(ctx, key, widget)
		return apierrors.IsNotFound(err), err
	})
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// TestCustomResourcesAreDefaultedAndValidated needs no manager.
func TestCustomResourcesAreDefaultedAndValidated(t *testing.T) {
	ctx := within(t)
	direct, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := func(widget *unstructured.Unstructured, value any, path ...string) {
		if err := unstructured.SetNestedField(widget.Object, value, path...); err != nil {
			t.Fatal(err)
		}
	}
	widget := newWidget("rules")
	set(widget, map[string]any{"color": "red", "weight": int64(3)}, "spec")
	if err := direct.Create(ctx, widget); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = direct.Delete(context.Background(), widget) })
	if size, _, _ := unstructured.NestedInt64(widget.Object, "spec", "size"); size != 3 {
		t.Errorf("no default: %v", widget.Object["spec"])
	}
	if _, kept, _ := unstructured.NestedFieldNoCopy(widget.Object, "spec", "weight"); kept {
		t.Error("an unknown field is kept")
	}
	for name, change := range map[string]func(*unstructured.Unstructured){
		"a number below its minimum": func(w *unstructured.Unstructured) { set(w, int64(0), "spec", "size") },
		"a wrong type":               func(w *unstructured.Unstructured) { set(w, "x", "spec", "size") },
		"a rule that fails":          func(w *unstructured.Unstructured) { set(w, "beige", "spec", "color") },
	} {
		changed := widget.DeepCopy()
		change(changed)
		if err := direct.Update(ctx, changed); !apierrors.IsInvalid(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	strict := newWidget("strict")
	set(strict, map[string]any{"weight": int64(3)}, "spec")
	if err := direct.Create(ctx, strict, client.FieldValidation("Strict")); !apierrors.IsBadRequest(err) {
		t.Errorf("an unknown field is taken: %v", err)
	}
	status := widget.DeepCopy()
	set(status, int64(2), "status", "ready")
	set(status, int64(9), "spec", "size")
	if err := direct.Status().Update(ctx, status); err != nil {
		t.Fatal(err)
	}
	if size, _, _ := unstructured.NestedInt64(status.Object, "spec", "size"); size != 3 {
		t.Error("a status update changed the spec")
	}
}
