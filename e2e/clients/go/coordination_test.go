package clients

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/retry"
)

func TestOneCandidateLeadsAtATimeAndTheNextFollows(t *testing.T) {
	client := typed(t, config(t))
	space := namespace(t, client)
	leaders := make(chan string, 10)
	stops := map[string]context.CancelFunc{}
	var ended sync.WaitGroup
	for i := range 3 {
		name := fmt.Sprintf("candidate-%d", i)
		ctx, stop := context.WithCancel(context.Background())
		stops[name] = stop
		lock, err := resourcelock.New(resourcelock.LeasesResourceLock, space, "lock",
			client.CoreV1(), client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: name})
		must(t, err)
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: lock, ReleaseOnCancel: true,
			LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 200 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leaders <- name },
				OnStoppedLeading: func() {},
			},
		})
		must(t, err)
		ended.Go(func() { elector.Run(ctx) })
	}
	led := map[string]bool{}
	for transitions := range 3 {
		select {
		case leader := <-leaders:
			equal(t, leader+" has led before", led[leader], false)
			led[leader] = true
			lease, err := client.CoordinationV1().Leases(space).Get(t.Context(), "lock", metav1.GetOptions{})
			must(t, err)
			equal(t, "holder", *lease.Spec.HolderIdentity, leader)
			// The release counts as one as well.
			equal(t, "transitions are counted", int(*lease.Spec.LeaseTransitions) >= transitions, true)
			stops[leader]()
		case <-time.After(patience):
			t.Fatal("nobody leads")
		}
	}
	ended.Wait()
}

func TestTheSameEventAgainIsCounted(t *testing.T) {
	client := typed(t, config(t))
	space := namespace(t, client)
	broadcaster := record.NewBroadcaster()
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "clients"})
	about := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "about", Namespace: space, UID: "1"}}
	for range 3 {
		recorder.Event(about, corev1.EventTypeWarning, "Again", "it happened again")
	}
	eventually(t, "one event that counts three", func() bool {
		list, err := client.CoreV1().Events(space).List(t.Context(), metav1.ListOptions{
			FieldSelector: "involvedObject.name=about,reason=Again",
		})
		must(t, err)
		return len(list.Items) == 1 && list.Items[0].Count == 3
	})
}

func TestNewEventsAreReadAsOldOnes(t *testing.T) {
	client := typed(t, config(t))
	space := namespace(t, client)
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	defer broadcaster.Shutdown()
	must(t, broadcaster.StartRecordingToSinkWithContext(t.Context()))
	recorder := broadcaster.NewRecorder(scheme.Scheme, "clients.test/recorder")
	about := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "about", Namespace: space, UID: "1"}}
	recorder.Eventf(about, nil, corev1.EventTypeNormal, "Made", "Making", "made %d", 1)
	var event eventsv1.Event
	eventually(t, "the event is there", func() bool {
		list, err := client.EventsV1().Events(space).List(t.Context(), metav1.ListOptions{})
		must(t, err)
		if len(list.Items) == 1 {
			event = list.Items[0]
		}
		return len(list.Items) == 1
	})
	equal(t, "note", event.Note, "made 1")
	old, err := client.CoreV1().Events(space).Get(t.Context(), event.Name, metav1.GetOptions{})
	must(t, err)
	equal(t, "message", old.Message, "made 1")
	equal(t, "object", old.InvolvedObject.Name, "about")
}

func TestWritersThatRetryOnConflictLoseNothing(t *testing.T) {
	client := typed(t, config(t))
	maps := client.CoreV1().ConfigMaps(namespace(t, client))
	_, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "shared"}}, metav1.CreateOptions{})
	must(t, err)
	var writers sync.WaitGroup
	failures := make(chan error, 8)
	for writer := range 8 {
		writers.Go(func() {
			backoff := retry.DefaultBackoff
			backoff.Steps = 100
			failures <- retry.RetryOnConflict(backoff, func() error {
				live, err := maps.Get(t.Context(), "shared", metav1.GetOptions{})
				if err != nil {
					return err
				}
				if live.Data == nil {
					live.Data = map[string]string{}
				}
				live.Data[fmt.Sprint(writer)] = "was here"
				_, err = maps.Update(t.Context(), live, metav1.UpdateOptions{})
				return err
			})
		})
	}
	writers.Wait()
	for range 8 {
		must(t, <-failures)
	}
	live, err := maps.Get(t.Context(), "shared", metav1.GetOptions{})
	must(t, err)
	equal(t, "writes", len(live.Data), 8)
}

func TestAClientThatIsRejectedTriesAgainUntilThereAreSeats(t *testing.T) {
	admin := typed(t, config(t)).FlowcontrolV1()
	few := limitedLevel("few-seats", 1)
	few.Spec.Limited.BorrowingLimitPercent = new(int32)
	_, err := admin.PriorityLevelConfigurations().Create(t.Context(), few, metav1.CreateOptions{})
	must(t, err)
	deleteAfter(t, admin.PriorityLevelConfigurations(), "few-seats")
	jail := flowSchema("few-seats", nil)
	jail.Spec.MatchingPrecedence = 500
	jail.Spec.PriorityLevelConfiguration.Name = "few-seats"
	jail.Spec.Rules[0].Subjects = []flowcontrolv1.Subject{userSubject("jailed")}
	jail.Spec.Rules[0].ResourceRules = []flowcontrolv1.ResourcePolicyRule{{
		Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}, ClusterScope: true,
	}}
	jail, err = admin.FlowSchemas().Create(t.Context(), jail, metav1.CreateOptions{})
	must(t, err)
	deleteAfter(t, admin.FlowSchemas(), "few-seats")
	jailed := as(config(t), "jailed", "system:authenticated")
	eventually(t, "the schema is in use", func() bool {
		return classified(t, jailed).Get(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID) == string(jail.UID)
	})

	letGo := takeSeats(t, jailed, 30)
	defer letGo()
	seenConfig, seen := recording(jailed)
	done := make(chan error, 1)
	go func() {
		reviews := typed(t, seenConfig).AuthenticationV1().SelfSubjectReviews()
		_, err := reviews.Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
		done <- err
	}()
	eventually(t, "it is told to come back", func() bool { return seen.answered(http.StatusTooManyRequests) >= 2 })
	letGo()
	must(t, <-done)
}

// takeSeats begins requests whose bodies do not end until they are let go, and waits until there are
// no seats left for more of them.
func takeSeats(t *testing.T, config *rest.Config, requests int) (letGo func()) {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var sent sync.WaitGroup
	rejected := make(chan struct{}, requests)
	for range requests {
		body, _ := io.Pipe()
		request, err := http.NewRequestWithContext(ctx, http.MethodPost,
			config.Host+"/apis/authentication.k8s.io/v1/selfsubjectreviews", body)
		must(t, err)
		request.Header.Set("Content-Type", "application/json")
		sent.Go(func() {
			if response, err := client.Do(request); err == nil {
				_ = response.Body.Close()
				rejected <- struct{}{}
			}
		})
	}
	select {
	case <-rejected:
	case <-time.After(patience):
		t.Error("seats without end")
	}
	return func() {
		cancel()
		sent.Wait()
	}
}
