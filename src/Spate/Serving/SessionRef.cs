using System.Runtime.CompilerServices;
using Spate.Serving.Sessions;

namespace Spate.Serving;

/// <summary>
/// A reference to a session inside its <see cref="SessionTable{TSession}"/>, without a copy. The reference is valid
/// until the session ends. A session ends only in <see cref="SessionTable{TSession}.RemoveExpired"/>,
/// <see cref="SessionTable{TSession}.Remove"/>, <see cref="SessionTable{TSession}.Release"/>,
/// <see cref="SessionTable{TSession}.Clear"/> and, if the table is full,
/// <see cref="SessionTable{TSession}.GetOrAdmit"/>. Sessions never move in memory, so the reference stays valid while
/// other sessions are admitted or end. A reference that is used after its session has ended may show another session,
/// but never memory outside the table.
/// </summary>
/// <typeparam name="TSession">The data that the table keeps for each peer.</typeparam>
public readonly ref struct SessionRef<TSession>
{
    private readonly ref SessionEntry<TSession> _entry;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal SessionRef(ref SessionEntry<TSession> entry) => _entry = ref entry;

    /// <summary>
    /// Whether this is the default value, which refers to no session, for instance because the peer was not found.
    /// </summary>
    public bool IsNone => Unsafe.IsNullRef(ref _entry);

    /// <summary>
    /// The session, which can be read and written in place. If <see cref="IsNone"/> is true, both throw
    /// <see cref="NullReferenceException"/>.
    /// </summary>
    public ref TSession Value => ref _entry.Session;

    /// <summary>
    /// The peer of the session. If <see cref="IsNone"/> is true, a read throws <see cref="NullReferenceException"/>.
    /// </summary>
    public ref readonly UdpEndPoint Peer => ref _entry.Peer;
}
