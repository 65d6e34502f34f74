// Command vet is go vet from sources alone, for platforms that nothing has been compiled for:
//
//	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 vet ./...
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
)

func main() { multichecker.Main(vet.Suite...) }
