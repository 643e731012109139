# What zsh completes: `complete.zsh FOLDER LINE`, for the cursor at the end of LINE. Runs a
# shell in a terminal, with FOLDER's functions, and prints the words that match
# (compadd -O puts them into an array).
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= PS2=; stty -echo
fpath=(${(q)1} \$fpath); autoload -U compinit; compinit -u -D
compadd() {
  local -a hits
  builtin compadd -O hits \"\$@\"
  print -l -- '<'\${^hits}'>'
}
show() { zle complete-word; print -l -- done-\$((1 + 1)) }
zle -C complete-word complete-word _main_complete; zle -N show; bindkey '^I' show
print ready-\$((1 + 1))"
zpty -r -m shell text '*ready-2*'
zpty -n -w shell "$2"$'\t'
zpty -r -m shell text '*done-2*'
zpty -d shell
print -l -- ${(f)text} | tr -d '\r' | sed -n 's/^.*<\(..*\)>$/\1/p'
