"""The look of the screens. What colour says is also said by text, or by reversed or underlined characters."""

STYLE = """
#title { height: 1; padding: 0 1; text-style: bold; background: $primary; color: $text; }
#title, #status { text-wrap: nowrap; text-overflow: ellipsis; }
#search { display: none; height: 1; border: none; padding: 0 1; }
#search.shown { display: block; }
#body { height: 1fr; }
#clients { width: 24; min-width: 20; border-right: solid $primary; padding: 0; scrollbar-size: 1 1; }
.-wide #clients { width: 30; }
#hooks { width: 1fr; scrollbar-size: 1 1; }
#details { height: 7; border-top: solid $primary; padding: 0 1; scrollbar-size: 1 1; }
.-wide #details { height: 11; }
#status { height: 1; padding: 0 1; }
#narrow-keys { display: none; height: 1; padding: 0 1; background: $panel; }
.-narrow #narrow-keys { display: block; }
.-narrow Footer { display: none; }
.-narrow #clients { width: 0; min-width: 0; border: none; }
.-narrow #clients:focus { width: 100%; }
.-short #details { height: 4; }
.searching Footer { visibility: hidden; }
ModalScreen { align: center middle; }
.dialog { width: 96%; max-width: 120; height: 92%; border: round $primary; padding: 0 1; background: $surface; }
.dialog.small { height: auto; max-height: 92%; }
.dialog.small VerticalScroll { height: auto; max-height: 14; }
.dialog-title { height: auto; text-style: bold; }
.dialog-note { height: auto; color: $text-muted; }
.dialog-warning { height: auto; color: $warning; }
.buttons { height: 1; margin-top: 1; align-horizontal: left; }
.buttons Button { margin-right: 2; height: 1; min-width: 0; border: none; }
.dialog VerticalScroll { height: 1fr; scrollbar-size: 1 1; }
.-narrow .dialog { width: 100%; padding: 0; }
.-narrow .buttons Button { margin-right: 0; }
.-short .buttons { margin-top: 0; }
.-short .dialog { height: 100%; }
.-short .dialog.small { height: auto; max-height: 100%; }
.-short .dialog.small VerticalScroll, .-short .dialog.small OptionList { max-height: 7; }
.dialog OptionList { height: 1fr; border: none; padding: 0; scrollbar-size: 1 1; }
.dialog OptionList:focus > .option-list--option-highlighted { background: $primary-darken-3; }
.dialog.small OptionList { height: auto; max-height: 12; }
.dialog Input { height: 1; border: none; padding: 0; margin-top: 1; background: $boost; }
#problems { height: auto; margin-bottom: 1; }
.-short #fire-note { display: none; }
#filler { display: none; height: 1fr; }
#payload { height: 1fr; border: none; padding: 0; scrollbar-size: 1 1; }
#trace { height: 1fr; border-top: solid $primary; scrollbar-size: 1 1; }
HooksApp.plain #title { text-style: bold reverse; }
HooksApp.plain Button:focus { text-style: bold reverse; }
HooksApp.plain OptionList:focus > .option-list--option-highlighted { text-style: bold underline; }
HooksApp.plain DataTable > .datatable--cursor { text-style: underline; }
HooksApp.plain DataTable:focus > .datatable--cursor { text-style: reverse; }
HooksApp.plain Tree > .tree--cursor { text-style: underline; }
HooksApp.plain Tree:focus > .tree--cursor { text-style: reverse; }
"""
