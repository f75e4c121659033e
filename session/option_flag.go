package session

// WithFlag sets a flag that differs from the option's name, because an operand of the step has the
// same name.
func (o Option) WithFlag(flag string) Option { o.Flag = flag; return o }

// LongFlag is the option's long flag.
func (o Option) LongFlag() string {
	if o.Flag != "" {
		return o.Flag
	}
	return o.Name
}

// Spelled makes the option accept other spellings of a value. meant returns the spelling that the
// option knows, or its argument.
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
