namespace Spate.Serving;

/// <summary>
/// Called once for every session that leaves a table: the one place to release the resources that a session owns.
/// Called on the thread that called <see cref="SessionTable{TSession}.Age"/>,
/// <see cref="SessionTable{TSession}.Remove"/>, <see cref="SessionTable{TSession}.Release"/> or
/// <see cref="SessionTable{TSession}.EndAll"/>, within that call. For the tables of a server that is the shard's
/// thread, which ends all sessions when it ends (<see cref="UdpShard.CreateSessionTable{TSession}"/>). The callback may
/// look sessions up, but must not admit, remove, release or age sessions or add references. Its exceptions pass through
/// to the caller; the session has ended even so.
/// </summary>
/// <typeparam name="TSession">The data that the table keeps for each peer.</typeparam>
/// <param name="peer">The peer of the session; valid during the call.</param>
/// <param name="session">The session; valid during the call, then cleared.</param>
/// <param name="end">Why the session ended.</param>
public delegate void SessionEnded<TSession>(in UdpEndPoint peer, ref TSession session, SessionEnd end);
