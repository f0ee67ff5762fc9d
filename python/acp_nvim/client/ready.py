"""The second state of a client: the agent has answered, and all that it can do can be asked for."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from acp_nvim.client.agent import Agent
from acp_nvim.client.inbound import Services
from acp_nvim.client.listing import Listing
from acp_nvim.client.login import Login
from acp_nvim.client.opening import OfferTools, Opening
from acp_nvim.client.registry import Registry
from acp_nvim.client.session import Session
from acp_nvim.client.settings import Settings
from acp_nvim.client.turns import Turns
from acp_nvim.config import Defaults
from acp_nvim.editor import Files


class Ready(Struct, frozen=True):
    """What can be done with an agent."""

    agent: Agent
    login: Login
    turns: Turns
    settings: Settings
    opening: Opening
    listing: Listing
    defaults: Callable[[], Defaults]
    """What a new session is set to."""

    @classmethod
    def of(
        cls,
        agent: Agent,
        registry: Registry,
        services: Services,
        files: Files,
        needs_login: Callable[[str | None], None],
        forgotten: Callable[[Session], None],
        offer: OfferTools,
    ) -> Ready:
        """Return it for an agent that has just answered; see `Login`, `Turns` and `Opening` for the
        last three."""
        login = Login(agent, needs_login)
        return cls(
            agent,
            login,
            Turns(agent, services, files, login, forgotten),
            Settings(agent, login),
            Opening(agent, registry, login, offer),
            Listing(agent, login),
            services.defaults,
        )

    async def begin(self, session: Session, *, is_new: bool) -> None:
        """Send what waits in a session that is open now; a new one is set up before."""
        self.turns.opened(session)
        if is_new:
            await self.settings.begin(session, self.defaults())
        self.turns.go_on(session)

    def cancel(self, session: Session) -> bool:
        """Cancel what is no turn: an opening, a login, a setting, what runs on behind a turn."""
        status = session.state.status
        return (
            self.opening.abort(session)
            or (status != "running" and (self.login.cancel() or self.settings.cancel(session)))
            or (status == "idle" and self.turns.cancel_background(session))
        )
