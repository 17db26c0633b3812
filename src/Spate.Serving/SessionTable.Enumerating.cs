using Spate.Serving.Sessions;

namespace Spate.Serving;

public sealed partial class SessionTable<TSession>
{
    /// <summary>
    /// All sessions that lookups find, in no order. Sessions may be looked up, removed, held and released meanwhile;
    /// whether one that is admitted meanwhile is seen is left open. Being seen here does not keep a session from
    /// ageing.
    /// </summary>
    /// <returns>What <see langword="foreach"/> needs.</returns>
    public Enumerator GetEnumerator() => new(this);

    /// <summary>Steps through the sessions of a table.</summary>
    public ref struct Enumerator
    {
        private readonly SessionTable<TSession> _table;
        private int _entryIndex = None;

        internal Enumerator(SessionTable<TSession> table) => _table = table;

        /// <summary>The session that was stepped to.</summary>
        public readonly SessionRef<TSession> Current => new(ref _table._entries[_entryIndex]);

        /// <summary>Steps to the next session; false at the end.</summary>
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
