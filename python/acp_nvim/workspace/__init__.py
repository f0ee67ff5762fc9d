"""Options, clients and chats: the state of the plugin as a whole."""
