//go:build soak

package command

import "testing"

// TestHostileNamesFewAtOnce runs every command with few payloads at once, so that
// none is cut off where a long name is shown in part.
func TestHostileNamesFewAtOnce(t *testing.T) {
	withoutRuntime(t)
	hostileTest(t, hostileCommands, payloadGroups(100), "", " --json")
}
