using Spate.Serving.Sessions;

namespace Spate.Serving;

public sealed partial class SessionTable<TSession>
{
    /// <summary>
    /// Enumerates all sessions that lookups find, in no particular order. During the enumeration, sessions may be
    /// looked up and removed, and references may be added and released. A session that is admitted during the
    /// enumeration may be included or not. The enumeration does not keep a session from ageing.
    /// </summary>
    /// <returns>The enumerator for <see langword="foreach"/>.</returns>
    public Enumerator GetEnumerator() => new(this);

    /// <summary>Steps through the sessions of a table.</summary>
    public ref struct Enumerator
    {
        private readonly SessionTable<TSession> _table;
        private int _entryIndex = None;

        internal Enumerator(SessionTable<TSession> table) => _table = table;

        /// <summary>The session to which the last <see cref="MoveNext"/> stepped.</summary>
        public readonly SessionRef<TSession> Current => new(ref _table._entries[_entryIndex]);

        /// <summary>Steps to the next session. Returns false at the end.</summary>
        public bool MoveNext()
        {
            while (++_entryIndex < _table._store.UsedEnd)
            {
                if (_table._entries[_entryIndex].State == EntryState.Live) return true;
            }

            return false;
        }
    }
}
