using System.Runtime.CompilerServices;
using Spate.Serving.Sessions;

namespace Spate.Serving;

/// <summary>
/// A session in its place in a <see cref="SessionTable{TSession}"/>: nothing is copied. Valid until that session leaves
/// the table, and sessions leave only in <see cref="SessionTable{TSession}.Age"/>,
/// <see cref="SessionTable{TSession}.Remove"/> and <see cref="SessionTable{TSession}.Release"/>; others may come and
/// go, for a session never moves. Kept longer it may show another session, but never foreign memory.
/// </summary>
/// <typeparam name="TSession">What the table keeps about a peer.</typeparam>
public readonly ref struct SessionRef<TSession>
{
    private readonly ref SessionEntry<TSession> _entry;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal SessionRef(ref SessionEntry<TSession> entry) => _entry = ref entry;

    /// <summary>Whether there is no session: the default value, as where a peer was not found.</summary>
    public bool IsNone => Unsafe.IsNullRef(ref _entry);

    /// <summary>The session, to be read and written in place. Undefined where <see cref="IsNone"/>.</summary>
    public ref TSession Value => ref _entry.Session;

    /// <summary>The peer whose session it is. Undefined where <see cref="IsNone"/>.</summary>
    public ref readonly UdpEndPoint Peer => ref _entry.Peer;
}
