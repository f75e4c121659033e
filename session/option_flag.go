package session

// WithFlag sets the name of the flag. It is needed if the option has the same name as an operand of
// the step.
func (o Option) WithFlag(flag string) Option { o.Flag = flag; return o }

// LongFlag returns the name of the long flag, without the dashes.
func (o Option) LongFlag() string {
	if o.Flag != "" {
		return o.Flag
	}
	return o.Name
}

// Spelled makes the option accept other spellings of its values. meant converts such a spelling to
// the value that it means, and returns any other text unchanged.
func (o Option) Spelled(meant func(v string) string) Option {
	set := o.set
	o.set = func(v string) error { return set(meant(v)) }
	return o
}

// Checked sets a check of every value before it is stored.
func (o Option) Checked(check func(v string) error) Option {
	set := o.set
	o.set = func(v string) error {
		if err := check(v); err != nil {
			return err
		}
		return set(v)
	}
	return o
}
