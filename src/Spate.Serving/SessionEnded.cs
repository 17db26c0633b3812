namespace Spate.Serving;

/// <summary>
/// Called once for every session that leaves a table: the one place to give back what a session owns. Called on the
/// thread that called <see cref="SessionTable{TSession}.Age"/>, <see cref="SessionTable{TSession}.Remove"/>,
/// <see cref="SessionTable{TSession}.Release"/> or <see cref="SessionTable{TSession}.EndAll"/>, within that call; for
/// the tables of a server that is on the shard's thread, and at its end too
/// (<see cref="UdpShard.CreateSessionTable{TSession}"/>). It may look sessions up, but not admit, remove, hold, release
/// or age any. An exception passes through to the caller; the session has left all the same.
/// </summary>
/// <typeparam name="TSession">What the table keeps about a peer.</typeparam>
/// <param name="peer">Whose session it was; valid during the call.</param>
/// <param name="session">The session; valid during the call, then cleared.</param>
/// <param name="end">Why it left.</param>
public delegate void SessionEnded<TSession>(in UdpEndPoint peer, ref TSession session, SessionEnd end);
