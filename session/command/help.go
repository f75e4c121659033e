package command

// usageTemplate is what --help prints below a command's description. It is plain
// text: a help that asks the terminal for its colours waits for an answer that
// comes late over a slow line, and from some terminals never.
const usageTemplate = `Usage
  {{.UseLine}}
{{- if .HasExample}}

Example
  {{.Example}}
{{- end}}
{{- range $group := .Groups}}

{{.Title}}
{{- range $.Commands}}{{if and (eq .GroupID $group.ID) .IsAvailableCommand}}
  {{rpad .Name .NamePadding}}  {{.Short}}
{{- end}}{{end}}
{{- end}}
{{- if and .HasAvailableSubCommands (not .Groups)}}

Commands
{{- range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}}  {{.Short}}
{{- end}}{{end}}
{{- end}}
{{- if .HasAvailableLocalFlags}}

Flags
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}
{{- end}}
{{- if .HasAvailableInheritedFlags}}

Flags of every command
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}
{{- end}}
`
