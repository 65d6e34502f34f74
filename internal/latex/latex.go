// Package latex writes any text for LaTeX.
package latex

import (
	"fmt"
	"slices"
	"strings"
)

// Escape makes s appear as it is. "[" and "*" are braced because they would be
// read as an argument of the line end before them, and braces keep "--", "”" and ",," from
// becoming other signs, as the fonts of LaTeX have it.
func Escape(s string) string { return escapes.Replace(s) }

var escapes = strings.NewReplacer(append([]string{
	`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`, "$", `\$`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`,
	"[", "{[}", "*", "{*}", "--", "-{}-{}", "''", "'{}'{}", ",,", ",{},{}",
	"`", `\textasciigrave{}`, "\r\n", " ", "\n", " ", "\r", " ",
	"–", "--", "—", "---", "“", "``", "”", "''", "‘", "`", "’", "'", "…", `\ldots{}`,
	"×", `$\times$`, "±", `$\pm$`, "−", "$-$", "≤", `$\leq$`, "≥", `$\geq$`, "≠", `$\neq$`, "·", `$\cdot$`,
	"°", `$^{\circ}$`,
	"√", `$\surd$`, "≈", `$\approx$`, "∞", `$\infty$`, "²", `$^2$`, "³", `$^3$`,
	"†", `$\dagger$`, "‡", `$\ddagger$`, "→", `$\rightarrow$`,
}, slices.Concat(greek(), subscripts())...)...)

// subscripts returns the replacements of the digits ₀ to ₉.
func subscripts() (all []string) {
	for digit := range 10 {
		all = append(all, string('₀'+rune(digit)), fmt.Sprintf("$_%d$", digit))
	}
	return all
}

// greek returns the replacements of the letters that are not set as text.
func greek() []string {
	names := strings.Fields(`α alpha β beta γ gamma δ delta ε varepsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda
		μ mu ν nu ξ xi π pi ρ rho σ sigma τ tau υ upsilon φ varphi χ chi ψ psi ω omega
		Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Φ Phi Ψ Psi Ω Omega`)
	for i := 1; i < len(names); i += 2 {
		names[i] = `$\` + names[i] + `$`
	}
	return names
}
