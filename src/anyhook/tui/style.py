"""The look of the screens. What colour says is also said by text, or by reversed or underlined characters."""

STYLE = """
#title { height: 1; padding: 0 1; text-style: bold; background: $primary; color: $text; }
#title, #status { text-wrap: nowrap; text-overflow: ellipsis; }
#search-bar { display: none; height: 1; padding: 0 1; }
#search-bar.shown { display: block; }
#search-label { width: auto; margin-right: 1; text-style: bold; }
#search { height: 1; border: none; padding: 0; }
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
.dialog { width: 96%; max-width: 120; height: auto; max-height: 100%; border: round $primary; padding: 0 1; }
.dialog { background: $surface; }
.-tall .dialog { max-height: 92%; }
.dialog.full { height: 92%; }
.-tall .dialog.steps { height: 34; }
.dialog-title { height: auto; text-style: bold; dock: top; margin-bottom: 1; }
.dialog-note { height: auto; color: $text-muted; }
.dialog-question { text-style: bold; }
.dialog-warning { height: auto; color: $text-warning; }
.full .dialog-title { margin-bottom: 0; }
.buttons { height: 1; margin-top: 1; align-horizontal: left; dock: bottom; }
.buttons Button { margin-right: 2; height: 1; min-width: 0; border: none; }
.dialog VerticalScroll, .dialog OptionList { height: auto; max-height: 100%; scrollbar-size: 1 1; }
.dialog VerticalScroll, .dialog OptionList { scrollbar-gutter: stable; background: $surface; }
.dialog OptionList { border: none; padding: 0; }
.dialog.full OptionList { height: 1fr; }
.dialog OptionList:focus > .option-list--option-highlighted { background: $primary-darken-3; }
.dialog Input { height: 1; border: none; padding: 0; margin-top: 1; background: $boost; }
.-narrow .dialog { width: 100%; padding: 0; }
.-narrow .buttons Button { margin-right: 0; }
.-short .buttons { margin-top: 0; }
.-short .dialog-title { margin-bottom: 0; }
.-short .dialog.full { height: 100%; }
.dialog Markdown { padding: 0; }
.dialog MarkdownH1 { content-align-horizontal: left; margin: 0 0 1 0; }
.dialog MarkdownH2 { margin: 0 0 1 0; text-style: bold; }
.dialog MarkdownFence { margin: 0 0 1 0; }
#problems { height: auto; margin-bottom: 1; }
.-short #fire-note { display: none; }
#filler { display: none; height: 1fr; }
#payload { height: 1fr; border: none; padding: 0; scrollbar-size: 1 1; }
.dialog #trace { height: 1fr; border-top: solid $primary; }
.fired #trace { height: 2fr; }
HooksApp.plain #title { text-style: bold reverse; }
HooksApp.plain Button:focus { text-style: bold reverse; }
HooksApp.plain OptionList:focus > .option-list--option-highlighted { text-style: bold underline; }
HooksApp.plain DataTable > .datatable--cursor { text-style: underline; }
HooksApp.plain DataTable:focus > .datatable--cursor { text-style: reverse; }
HooksApp.plain Tree > .tree--cursor { text-style: underline; }
HooksApp.plain Tree:focus > .tree--cursor { text-style: reverse; }
"""
