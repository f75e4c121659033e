package config

import "slices"

// Lost is a key that a binding of the settings took from another action.
type Lost struct{ Action, Key string }

// Rebind gives an action of one place the keys of b, unless b is for another place. Another action
// that had one of these keys loses it, because the user has given the key a new meaning.
func (b Binding) Rebind(actions []Action) []Lost {
	at := slices.IndexFunc(actions, func(a Action) bool { return a.Name == b.Action })
	if at < 0 || b.Place != "" && b.Place != actions[at].Place {
		return nil
	}
	var lost []Lost
	for i := range actions {
		actions[i].Keys = slices.DeleteFunc(slices.Clone(actions[i].Keys), func(key string) bool {
			isTaken := slices.Contains(b.Keys, key)
			if isTaken && i != at {
				lost = append(lost, Lost{actions[i].Name, key})
			}
			return isTaken
		})
	}
	actions[at].Keys = b.Keys
	return lost
}
