package specs

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

const templates = 400

func podTemplates(t *testing.T, c *cluster) typedcorev1.PodTemplateInterface {
	t.Helper()
	client := c.typed.CoreV1().PodTemplates(c.namespace(t))
	for i := range templates {
		_, err := client.Create(t.Context(), parse[corev1.PodTemplate](t, `
metadata: {name: template-%04d}
template: {spec: {containers: [{name: test, image: test2}]}}`, i), metav1.CreateOptions{})
		must(t, err)
	}
	return client
}

// follow reads the pages after one and checks that nothing is left out nor there twice.
func follow(t *testing.T, client typedcorev1.PodTemplateInterface, page *corev1.PodTemplateList, seen int, limit int64) {
	t.Helper()
	revision := page.ResourceVersion
	for {
		for _, item := range page.Items {
			equal(t, "name", item.Name, fmt.Sprintf("template-%04d", seen))
			seen++
		}
		equal(t, "revision", page.ResourceVersion, revision)
		if page.Continue == "" {
			break
		}
		if page.RemainingItemCount == nil || int(*page.RemainingItemCount)+seen != templates {
			t.Fatalf("%v remain after %d", page.RemainingItemCount, seen)
		}
		var err error
		page, err = client.List(t.Context(), metav1.ListOptions{Limit: limit, Continue: page.Continue})
		must(t, err)
	}
	equal(t, "seen", seen, templates)
}

func TestChunkingReturnsChunksOfResultsForListCalls(t *testing.T) {
	client := podTemplates(t, shared)
	for _, limit := range []int64{1, 17, 399, 400, 500} {
		page, err := client.List(t.Context(), metav1.ListOptions{Limit: limit})
		must(t, err)
		equal(t, "size", len(page.Items), min(int(limit), templates))
		follow(t, client, page, 0, limit)
	}
	// One that reads all sees the same revision or a later one.
	full, err := client.List(t.Context(), metav1.ListOptions{ResourceVersion: "0", Limit: 10})
	equal(t, "all from the cache", count(t, full, err), templates)
}

func TestChunkingContinuesFromTheLastKeyIfTheOriginalVersionHasBeenCompactedAway(t *testing.T) {
	t.Parallel()
	own := ownCluster(t, "--etcd-compaction-interval=1s")
	client := podTemplates(t, own)
	const limit = templates / 10
	first, err := client.List(t.Context(), metav1.ListOptions{Limit: limit})
	must(t, err)
	var expired error
	// The last 75 s can be read whatever was compacted.
	within(t, 3*patience, "expired", func() bool {
		_, expired = client.List(t.Context(), metav1.ListOptions{Limit: limit, Continue: first.Continue})
		return apierrors.IsResourceExpired(expired)
	})
	status := expired.(apierrors.APIStatus).Status()
	if status.Continue == "" {
		t.Fatalf("no token to go on with: %+v", status)
	}
	page, err := client.List(t.Context(), metav1.ListOptions{Limit: limit, Continue: status.Continue})
	must(t, err)
	if page.ResourceVersion == first.ResourceVersion {
		t.Fatal("the revision is still the old one")
	}
	follow(t, client, page, limit, limit)
}
