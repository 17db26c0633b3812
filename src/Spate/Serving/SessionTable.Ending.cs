using System.Diagnostics;
using System.Runtime.ExceptionServices;
using Spate.Serving.Sessions;

namespace Spate.Serving;

public sealed partial class SessionTable<TSession>
{
    /// <summary>
    /// Ends every session with <see cref="SessionEnd.Stopped"/>, including sessions with references; their handles must
    /// not be released any more. Call the method when the loop that uses the table ends, so that the callback can free
    /// the resources of the sessions. For a table made by <see cref="UdpShard.CreateSessionTable{TSession}"/>, the
    /// server calls the method. Afterwards the table is empty and can be used again.
    /// </summary>
    /// <returns>The number of sessions that ended.</returns>
    /// <exception cref="InvalidOperationException">Another change of this table is still running.</exception>
    /// <exception cref="Exception">
    /// The first exception that the callback <see cref="SessionEnded{TSession}"/> threw. All sessions have ended even
    /// then.
    /// </exception>
    public int EndAll()
    {
        BeginChange();
        int endedCount = 0;
        ExceptionDispatchInfo? fault = null;
        try
        {
            for (int entryIndex = 0; entryIndex < _store.UsedEnd; entryIndex++)
            {
                ref SessionEntry<TSession> entry = ref _entries[entryIndex];
                if (entry.State == EntryState.Free) continue;
                if (entry.State == EntryState.Live) Detach(HashOf(in entry.Peer), entryIndex);
                endedCount++;
                try
                {
                    End(entryIndex, SessionEnd.Stopped);
                }
                catch (Exception thrown)
                {
                    fault ??= ExceptionDispatchInfo.Capture(thrown);
                }
            }
        }
        finally
        {
            _isChanging = false;
        }

        Debug.Assert(Count == 0);
        fault?.Throw();
        return endedCount;
    }
}
