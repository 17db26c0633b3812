using System.Runtime.CompilerServices;
using Spate.Serving.Sessions;

namespace Spate.Serving;

/// <summary>
/// A reference to a session in its <see cref="SessionTable{TSession}"/>; nothing is copied. It is valid until that
/// session ends, which happens only in <see cref="SessionTable{TSession}.Age"/>,
/// <see cref="SessionTable{TSession}.Remove"/>, <see cref="SessionTable{TSession}.Release"/> and
/// <see cref="SessionTable{TSession}.EndAll"/>. Sessions never move, so other sessions may be admitted and end
/// meanwhile. A reference that is kept longer may show another session, but never memory outside the table.
/// </summary>
/// <typeparam name="TSession">The data that the table keeps for each peer.</typeparam>
public readonly ref struct SessionRef<TSession>
{
    private readonly ref SessionEntry<TSession> _entry;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal SessionRef(ref SessionEntry<TSession> entry) => _entry = ref entry;

    /// <summary>Whether this is the default value, which refers to no session: the peer was not found.</summary>
    public bool IsNone => Unsafe.IsNullRef(ref _entry);

    /// <summary>The session, to be read and written in place. Undefined if <see cref="IsNone"/>.</summary>
    public ref TSession Value => ref _entry.Session;

    /// <summary>The peer of the session. Undefined if <see cref="IsNone"/>.</summary>
    public ref readonly UdpEndPoint Peer => ref _entry.Peer;
}
