package torch_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/session/torch"
	"lathe/session/torch/failure"
)

// counts is a model that keeps how often it was called, in every way that code has.
const counts = `
from collections import deque
class Kept: times = 0
here = [0]
class make(torch.nn.Module):
    def __init__(self):
        self.n, self.tensor, self.list, self.dict, self.object, self.deque = 0, torch.Tensor(0), [], {}, Kept(), deque()
    def example_arguments(self): return (), {}
    def forward(self):
        self.n += 1
        self.tensor.held[0] += 1
        self.list.append(1)
        self.dict[len(self.dict)] = 1
        self.object.times += 1
        self.deque.append(1)
        here[0] += 1
        return torch.Tensor(self.n, self.tensor.held[0], len(self.list), len(self.dict), self.object.times, len(self.deque), here[0])
`

func first(t *testing.T, b *torch.Bridge) []int64 {
	t.Helper()
	got, err := b.Run(t.Context(), graphops.Feeds{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := got[0].Value.Tensor.Int64s()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every run begins with the model as it was made, whatever the runs before it have changed.
func TestRunsDoNotMeet(t *testing.T) {
	for name, before := range map[string]string{"forks": "", "no forks": "del os.fork\n"} {
		t.Run(name, func(t *testing.T) {
			b, err := torch.Open(t.Context(), standInChild(t, before+counts), torch.Opening{Target: "target.py:make"})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			want := []int64{1, 1, 1, 1, 1, 1, 1}
			for range 3 {
				if got := first(t, b); !slices.Equal(got, want) {
					t.Errorf("a run gives %d", got)
				}
			}
			if want := []string{"self.deque", "self.dict", "self.list", "self.n", "self.object", "self.tensor", "target.here"}; !slices.Equal(b.Description.Changes, want) {
				t.Errorf("changes are %q, want %q", b.Description.Changes, want)
			}
		})
	}
}

// A fork that lasts is another model than the one that it was made of.
func TestFork(t *testing.T) {
	for name, before := range map[string]string{"forks": "", "no forks": "del os.fork\n"} {
		t.Run(name, func(t *testing.T) {
			b, err := torch.Open(t.Context(), standInChild(t, before+counts), torch.Opening{Target: "target.py:make"})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			fork, err := b.Fork(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			a, err := fork.Used(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if c, err := fork.Used(t.Context()); err != nil || c < a {
				t.Errorf("the fork has used %v and then %v, %v", a, c, err)
			}
			fork.Close()
			if got := first(t, b); got[0] != 1 {
				t.Errorf("behind the fork a run gives %d", got)
			}
		})
	}
}

// Code that ends or crashes while the model is run takes no other run with it.
func TestForkMisbehaves(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, c := range map[string]struct{ code, want, entry string }{
		"ends":      {"os._exit(3)", "exit status 3", "ended"},
		"crashes":   {"import ctypes; ctypes.string_at(0)", "segmentation fault", "crashed"},
		"is killed": {"os.kill(os.getpid(), 9)", "signal: killed", "killed"},
		"goes dumb": {"os.close(1); os.close(2); time.sleep(0.5); os._exit(3)", "exit status 3", "ended"},
		"says much": {"print('x' * 1000000)\n            os._exit(3)", "exit status 3", "ended"},
	} {
		t.Run(name, func(t *testing.T) {
			code := `
class make(torch.nn.Module):
    def example_arguments(self): return (), {}
    def forward(self):
        if os.path.exists("now"):
            ` + c.code + `
        return torch.Tensor(1)
`
			child := standInChild(t, code)
			b, err := torch.Open(t.Context(), child, torch.Opening{Target: "target.py:make"})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			remove := touch(t, child.Folder, "now")
			_, err = b.Run(t.Context(), graphops.Feeds{})
			var failed *torch.FailedError
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("says %v, want %q", err, c.want)
			}
			if f := failure.Distil(failed.Raw); f.Entry != c.entry {
				t.Errorf("it is %q, want %q", f.Entry, c.entry)
			}
			remove()
			if got := first(t, b); got[0] != 1 {
				t.Errorf("the next run gives %d", got)
			}
		})
	}
}

// A fork cannot use a device that its process has used, so each question then has a process of its own.
func TestNoForkLosesTheDevice(t *testing.T) {
	for name, c := range map[string]struct {
		used   string
		shared bool
	}{
		"device used before": {"torch.cuda._is_in_bad_fork = lambda: os.getpid() != process", false},
		"device not used":    {"torch.cuda._is_in_bad_fork = lambda: False", true},
		"no device":          {"torch.cuda._is_in_bad_fork = lambda: os.getpid() != process\ntorch.cuda.is_available = lambda: False", true},
	} {
		t.Run(name, func(t *testing.T) {
			code := "process = os.getpid()\ntorch.cuda.is_available = lambda: True\n" + c.used + `
class make(torch.nn.Module):
    def example_arguments(self): return (), {}
    def forward(self): return torch.Tensor(process, int(torch.cuda.is_available() and torch.cuda._is_in_bad_fork()))
`
			b, err := torch.Open(t.Context(), standInChild(t, code), torch.Opening{Target: "target.py:make"})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			one, other := first(t, b), first(t, b)
			if one[1] != 0 || other[1] != 0 {
				t.Error("a run lost its device")
			}
			if shared := one[0] == other[0]; shared != c.shared {
				t.Errorf("one process made the model for both runs: %v, want %v", shared, c.shared)
			}
		})
	}
}
