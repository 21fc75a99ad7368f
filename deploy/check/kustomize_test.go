package check_test

import (
	"bytes"
	"fmt"
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

// built returns the objects that Kustomize makes.
func built(t *testing.T) (objects []any) {
	t.Helper()
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), "../kustomize")
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
	found := map[string]bool{}
	pods := map[string]map[string]string{} // labels by component
	for _, object := range built(t) {
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
			found["NetworkPolicy"] = len(o.Spec.PolicyTypes) == 2
		case *corev1.Secret:
			found["Secret "+o.Name] = true
		case *corev1.Service:
			found["Service "+o.Name] = true
		}
	}
	for _, want := range []string{"Deployment api", "Deployment worker", "Job migrate", "PodDisruptionBudget api", "PodDisruptionBudget worker", "NetworkPolicy",
		"Secret keys", "Secret database", "Service readiness"} {
		if !found[want] {
			t.Errorf("there is no %s", want)
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
