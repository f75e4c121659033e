//go:build cgo && soak

package layers_test

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
)

var (
	plantModels = flag.String("plant-models", "", "paths of models, with commas")
	plantFaults = flag.Int("plant-faults", 3, "faults of each kind in each model and way")
	plantSeed   = flag.Uint64("plant-seed", 1, "seed")
	plantHow    = flag.String("plant-how", "", "one way to make a model another one")
)

func TestPlants(t *testing.T) {
	for _, path := range strings.Split(*plantModels, ",") {
		if path == "" {
			continue
		}
		t.Run(path[strings.LastIndexByte(path, '/')+1:], func(t *testing.T) {
			b := newBed(t, path)
			for how := range made {
				if *plantHow != "" && made[how].name != *plantHow {
					continue
				}
				if !b.sound(t, how) {
					continue
				}
				for k, p := range plants {
					rng := rand.New(rand.NewPCG(*plantSeed, uint64(10*how+k)))
					found := 0
					nodes := b.nodes(rng)
					for _, node := range nodes[:min(len(nodes), 100)] {
						if b.planted(t, node, p, how, rng) {
							found++
						}
						if found == *plantFaults {
							break
						}
					}
					t.Logf("%s, %s: %d planted", made[how].name, p.name, found)
				}
			}
		})
	}
}
