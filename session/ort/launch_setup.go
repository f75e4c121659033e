package ort

import (
	"encoding/base64"
	"fmt"
	"os"
	"strconv"

	"lathe/session/ort/sandbox"
	"lathe/session/ort/wire"
)

// Setup contains the settings that the client passes to a worker behind a launcher.
type Setup struct {
	Runtime, Python string // values of the flags with these names
	MemoryLimit     int64
	Plugins         []string // values of --ep-library
	Sandbox         sandbox.Mode
	Find            bool   // look for libraries of execution providers at the start
	slurmStep       string // Slurm step in which the client runs, or ""
}

// ParseSetup decodes the settings that Launcher.command encoded into one word.
func ParseSetup(word string) (Setup, error) {
	data, err := base64.RawURLEncoding.DecodeString(word)
	var s wire.Setup
	if err == nil {
		s, err = wire.DecodeSetup(data)
	}
	if err != nil {
		return Setup{}, fmt.Errorf("--options %q was made by another version of lathe: %w", word, err)
	}
	return Setup{s.Runtime, s.Python, s.MemoryLimit, s.Plugins, sandbox.Mode(s.Sandbox), s.Find, s.SlurmStep}, nil
}

// slurmStep returns the step of a Slurm job that this process runs in, or "" if there is none.
func slurmStep() string {
	job, step := os.Getenv("SLURM_JOB_ID"), os.Getenv("SLURM_STEP_ID")
	if job == "" || step == "" {
		return ""
	}
	return job + "." + step
}

// Tasks returns how many workers Slurm started at once, and whether this process is the first of
// them. The result is 1 if Slurm started only one worker or did not start this worker.
func (s Setup) Tasks() (workers int, first bool) {
	workers, err := strconv.Atoi(os.Getenv("SLURM_STEP_NUM_TASKS"))
	if step := slurmStep(); err != nil || workers < 2 || step == "" || step == s.slurmStep {
		return 1, true
	}
	return workers, os.Getenv("SLURM_PROCID") == "0"
}
