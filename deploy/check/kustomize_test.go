package check_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// decode decodes an object strictly into Kubernetes' own type: an unknown member and another type are errors.
func decode(text []byte) (any, error) {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := yaml.Unmarshal(text, &head); err != nil {
		return nil, err
	}
	object, known := map[string]any{
		"v1 Namespace": &corev1.Namespace{}, "v1 ConfigMap": &corev1.ConfigMap{}, "v1 Secret": &corev1.Secret{}, "v1 Service": &corev1.Service{},
		"apps/v1 Deployment": &appsv1.Deployment{}, "batch/v1 Job": &batchv1.Job{}, "policy/v1 PodDisruptionBudget": &policyv1.PodDisruptionBudget{},
		"networking.k8s.io/v1 NetworkPolicy": &networkingv1.NetworkPolicy{},
	}[head.APIVersion+" "+head.Kind]
	if !known {
		return nil, fmt.Errorf("there is no %s %s", head.APIVersion, head.Kind)
	}
	return object, yaml.UnmarshalStrict(text, object)
}

// built returns the objects that Kustomize makes of deploy/kustomize with components of it.
func built(t *testing.T, components ...string) (objects []any) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "kustomize"), os.DirFS("../kustomize")); err != nil {
		t.Fatal(err)
	}
	overlay := "resources: [../kustomize]\n"
	for _, c := range components {
		overlay += "components: [../kustomize/" + c + "]\n"
	}
	if err := os.MkdirAll(filepath.Join(dir, "overlay"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay", "kustomization.yaml"), []byte(overlay), 0o600); err != nil {
		t.Fatal(err)
	}
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(dir, "overlay"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range made.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		object, err := decode(text)
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", r.GetKind(), r.GetName(), err, text)
		}
		objects = append(objects, object)
	}
	return objects
}

// pod checks what every pod must have.
func pod(t *testing.T, name string, p corev1.PodTemplateSpec, labels map[string]string) {
	t.Helper()
	for key, value := range labels {
		if p.Labels[key] != value {
			t.Errorf("%s: the pod's label %s is %q, want %q", name, key, p.Labels[key], value)
		}
	}
	if s := p.Spec.SecurityContext; s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.SeccompProfile == nil {
		t.Errorf("%s may run as root or make every system call", name)
	}
	volumes := map[string]bool{}
	for _, v := range p.Spec.Volumes {
		volumes[v.Name] = true
	}
	for _, c := range append(append([]corev1.Container{}, p.Spec.InitContainers...), p.Spec.Containers...) {
		if s := c.SecurityContext; s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem || s.AllowPrivilegeEscalation == nil ||
			*s.AllowPrivilegeEscalation || s.Capabilities == nil || len(s.Capabilities.Drop) != 1 {
			t.Errorf("%s: the container %s may do more than it needs", name, c.Name)
		}
		ports := map[string]bool{}
		for _, port := range c.Ports {
			ports[port.Name] = true
		}
		for _, probe := range []*corev1.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
			if probe != nil && !ports[probe.HTTPGet.Port.StrVal] {
				t.Errorf("%s: a probe asks the port %q, which the container does not have", name, probe.HTTPGet.Port.StrVal)
			}
		}
		for _, m := range c.VolumeMounts {
			if !volumes[m.Name] {
				t.Errorf("%s: the container %s mounts %s, which the pod does not have", name, c.Name, m.Name)
			}
		}
	}
}

// Kustomize makes what docs/operating.md names; every member is one of Kubernetes' types; selectors, ports and volumes fit together.
func TestKustomize(t *testing.T) {
	t.Parallel()
	objects(t, built(t), "Deployment api", "Deployment worker", "Job migrate", "PodDisruptionBudget api", "PodDisruptionBudget worker",
		"NetworkPolicy readiness", "Secret keys", "Secret database", "Service readiness")
}

// With the component collect there are collectors, which have neither the database's address nor a key, and reach NATS and DNS alone; workers
// reach NATS too.
func TestKustomizeCollects(t *testing.T) {
	t.Parallel()
	all := built(t, "collect")
	objects(t, all, "Deployment api", "Deployment worker", "Deployment collector", "PodDisruptionBudget collector", "NetworkPolicy readiness", "NetworkPolicy collector",
		"NetworkPolicy worker", "Secret collector-nats", "Secret worker-nats", "Service collector")
	for _, object := range all {
		switch o := object.(type) {
		case *appsv1.Deployment:
			c := o.Spec.Template.Spec.Containers[0]
			var sources []string
			for _, from := range c.EnvFrom {
				switch {
				case from.SecretRef != nil:
					sources = append(sources, from.SecretRef.Name)
				case from.ConfigMapRef != nil:
					sources = append(sources, from.ConfigMapRef.Name)
				}
			}
			want := map[string][]string{"api": {"settings", "database"}, "worker": {"settings", "database", "worker-nats"}, "collector": {"collector-nats"}}[o.Name]
			if !slices.Equal(sources, want) {
				t.Errorf("%s has the variables of %v, want %v", o.Name, sources, want)
			}
			if o.Name == "collector" && strings.Contains(fmt.Sprint(o.Spec.Template.Spec.Volumes), "keys") {
				t.Error("the collector has the keys")
			}
		case *networkingv1.NetworkPolicy:
			var ports []int
			for _, rule := range o.Spec.Egress {
				for _, p := range rule.Ports {
					ports = append(ports, p.Port.IntValue())
				}
			}
			want := map[string][]int{"readiness": {53, 53, 5432, 443}, "collector": {53, 53, 4222}, "worker": {4222}}[o.Name]
			if !slices.Equal(ports, want) {
				t.Errorf("%s lets processes reach %v, want %v", o.Name, ports, want)
			}
			if s := o.Spec.PodSelector; o.Name == "readiness" && (len(s.MatchExpressions) != 1 || s.MatchExpressions[0].Values[0] != "collector") {
				t.Errorf("%s is about %+v", o.Name, s)
			}
		}
	}
}

// objects checks each object, and that there are those with these kinds and names.
func objects(t *testing.T, all []any, want ...string) {
	t.Helper()
	found := map[string]bool{}
	pods := map[string]map[string]string{} // labels by component
	for _, object := range all {
		switch o := object.(type) {
		case *appsv1.Deployment:
			found["Deployment "+o.Name] = true
			pod(t, o.Name, o.Spec.Template, o.Spec.Selector.MatchLabels)
			pods[o.Name] = o.Spec.Template.Labels
			c := o.Spec.Template.Spec.Containers[0]
			if *o.Spec.Replicas < 2 || c.ReadinessProbe == nil || c.ReadinessProbe.HTTPGet.Path != "/readyz" || *o.Spec.Template.Spec.TerminationGracePeriodSeconds < 60 {
				t.Errorf("%s: one process, no readiness, or too little time to end", o.Name)
			}
		case *batchv1.Job:
			found["Job "+o.Name] = true
			pod(t, o.Name, o.Spec.Template, nil)
		case *policyv1.PodDisruptionBudget:
			found["PodDisruptionBudget "+o.Name] = true
			for key, value := range o.Spec.Selector.MatchLabels {
				if pods[o.Name] != nil && pods[o.Name][key] != value {
					t.Errorf("the budget %s selects %s=%s, which its pods do not have", o.Name, key, value)
				}
			}
		case *networkingv1.NetworkPolicy:
			found["NetworkPolicy "+o.Name] = len(o.Spec.PolicyTypes) > 0
		case *corev1.Secret:
			found["Secret "+o.Name] = true
		case *corev1.Service:
			found["Service "+o.Name] = true
		}
	}
	for _, name := range want {
		if !found[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

// An object that Kubernetes would not know is refused, so the test above means something.
func TestKustomizeIsChecked(t *testing.T) {
	t.Parallel()
	good := read(t, "../kustomize/worker.yaml")
	if _, err := decode(good); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string][2]string{
		"an unknown member": {"replicas: 2", "replica: 2"}, "another type": {"replicas: 2", "replicas: two"}, "another kind": {"kind: Deployment", "kind: Deploy"},
		"an unknown member below": {"runAsNonRoot", "runAsNotRoot"}, "another version": {"apps/v1", "apps/v1beta1"},
	} {
		bad := bytes.ReplaceAll(good, []byte(change[0]), []byte(change[1]))
		if bytes.Equal(bad, good) {
			t.Fatalf("%s: the file does not contain %q", what, change[0])
		}
		if _, err := decode(bad); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
}
