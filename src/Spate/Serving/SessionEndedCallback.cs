namespace Spate.Serving;

/// <summary>
/// The callback for the end of a session. The table calls it once for every session that ends, so this is the one place
/// to release the resources that a session owns. The callback runs within
/// <see cref="SessionTable{TSession}.RemoveExpired"/>, <see cref="SessionTable{TSession}.Remove"/>,
/// <see cref="SessionTable{TSession}.Release"/>, <see cref="SessionTable{TSession}.Clear"/> or, if the table is full,
/// <see cref="SessionTable{TSession}.GetOrAdmit"/>, on the thread that called that method. For the tables of a server
/// this is the shard's thread, which ends all sessions when the thread ends
/// (<see cref="UdpShard.CreateSessionTable{TSession}"/>). The callback may look sessions up. It must not admit, remove,
/// release or age sessions, and must not add references. An exception of the callback passes through to the caller of
/// the method; the session has ended even then.
/// </summary>
/// <typeparam name="TSession">The data that the table keeps for each peer.</typeparam>
/// <param name="peer">The peer of the session; valid during the callback.</param>
/// <param name="session">The session; valid during the callback, then cleared.</param>
/// <param name="reason">Why the session ended.</param>
public delegate void SessionEndedCallback<TSession>(in UdpEndPoint peer, ref TSession session, SessionEndReason reason);
