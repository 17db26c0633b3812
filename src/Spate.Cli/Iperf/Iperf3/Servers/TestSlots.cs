namespace Spate.Cli.Iperf.Iperf3.Servers;

/// <summary>The tests that run at once, and the clients that wait in the order of their coming.</summary>
internal sealed class TestSlots(int slotCount, int queueLength)
{
    private readonly Lock _lock = new();
    private readonly List<Ticket> _waiting = [];
    private readonly int _slotCount = slotCount;
    private int _running;

    public bool IsFull
    {
        get
        {
            lock (_lock) return _running >= _slotCount && _waiting.Count >= queueLength;
        }
    }

    public bool IsIdle
    {
        get
        {
            lock (_lock) return _running == 0 && _waiting.Count == 0;
        }
    }

    /// <summary>Takes a place in the order; null where there is none.</summary>
    public Ticket? TryEnter()
    {
        lock (_lock)
        {
            if (_running + _waiting.Count >= _slotCount + queueLength) return null;

            var ticket = new Ticket(this);
            _waiting.Add(ticket);
            return ticket;
        }
    }

    /// <summary>Disposing of it lets the next client in.</summary>
    public sealed class Ticket(TestSlots slots) : IDisposable
    {
        private bool _isRunning;

        /// <summary>Begins to run; false before this client's turn.</summary>
        public bool TryRun()
        {
            lock (slots._lock)
            {
                if (_isRunning) return true;
                if (slots._waiting.IndexOf(this) >= slots._slotCount - slots._running) return false;

                _ = slots._waiting.Remove(this);
                slots._running++;
                return _isRunning = true;
            }
        }

        public void Dispose()
        {
            lock (slots._lock)
            {
                if (_isRunning) slots._running--;
                else _ = slots._waiting.Remove(this);
                _isRunning = false;
            }
        }
    }
}
