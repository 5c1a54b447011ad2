/** The text of a setting, where it was found (`nameplane config` shows it), and its name there (faults begin with it). */
export type Given = { readonly text: string; readonly origin: string; readonly label: string }
