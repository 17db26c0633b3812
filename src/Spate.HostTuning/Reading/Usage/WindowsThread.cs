using System.Numerics;
using Microsoft.Win32.SafeHandles;
using Spate.HostTuning.Interop.Windows;
using Spate.HostTuning.Reading.Cpus;

namespace Spate.HostTuning.Reading.Usage;

/// <summary>
/// The figures of a thread on Windows. Its switches and its waiting for a CPU stay null: the one source of switches is
/// a call that lists the threads of all processes (NtQuerySystemInformation), and Wine, under which all this was tried,
/// answers 0 there.
/// </summary>
internal sealed class WindowsThread : ThreadSource
{
    // A group of processors has at most 64, so the index of a processor is 64 times its group, plus its number.
    private const int CpusPerGroup = 64;
    private const long NanosecondsPerStep = 100;

    private readonly SafeWaitHandle _thread;

    public WindowsThread(uint systemThreadId) => _thread = ProcessThreadsApi.OpenThread(
        ProcessThreadsApi.THREAD_QUERY_LIMITED_INFORMATION, bInheritHandle: false, systemThreadId);

    public override ThreadUsage Usage
    {
        get
        {
            (long? user, long? system) = ReadTimes();
            return new ThreadUsage(user + system, null, null, null) { Cycles = ReadCycles() };
        }
    }

    public override ThreadTimes Times
    {
        get
        {
            (long? user, long? system) = ReadTimes();
            return new ThreadTimes(user, system, Cpu: null);
        }
    }

    public override string? AllowedCpuList
    {
        get
        {
            if (!IsOpen || !ProcessTopologyApi.GetThreadGroupAffinity(_thread, out GROUP_AFFINITY affinity)
                || affinity.Mask == 0)
            {
                return null;
            }

            var cpus = new List<int>();
            for (ulong mask = affinity.Mask; mask != 0; mask &= mask - 1)
            {
                cpus.Add((affinity.Group * CpusPerGroup) + BitOperations.TrailingZeroCount(mask));
            }

            return CpuList.Format(cpus);
        }
    }

    private bool IsOpen => !_thread.IsInvalid && !_thread.IsClosed;

    public override void Dispose() => _thread.Dispose();

    private static long Nanoseconds(FILETIME time) =>
        (((long)time.dwHighDateTime << 32) | time.dwLowDateTime) * NanosecondsPerStep;

    private (long? User, long? System) ReadTimes() =>
        IsOpen && ProcessThreadsApi.GetThreadTimes(_thread, out _, out _, out FILETIME system, out FILETIME user)
            ? (Nanoseconds(user), Nanoseconds(system))
            : (null, null);

    // A thread that can ask has used some cycles: a system that does not count them answers 0.
    private long? ReadCycles() =>
        IsOpen && RealtimeApi.QueryThreadCycleTime(_thread, out ulong cycles) && cycles > 0 ? (long)cycles : null;
}
