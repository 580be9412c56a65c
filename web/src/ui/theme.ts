/** Light or dark theme: that of the system until the user chooses the other one. */
const KEY = "writhe.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners: ((theme: string) => void)[] = [];

export function theme(): string {
  return localStorage.getItem(KEY) ?? (system.matches ? "dark" : "light");
}

export function onTheme(listener: (theme: string) => void): void {
  listeners.push(listener);
  listener(theme());
}

export function toggleTheme(): void {
  const next = theme() === "dark" ? "light" : "dark";
  if (next === (system.matches ? "dark" : "light")) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  apply();
}

export function apply(): void {
  document.documentElement.dataset.theme = theme();
  listeners.forEach((listener) => listener(theme()));
}

system.addEventListener("change", apply);
