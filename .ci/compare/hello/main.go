// Command hello prints one line. What it takes is the least that a Go program takes here.
package main

import "fmt"

func main() { fmt.Println("hello") }
