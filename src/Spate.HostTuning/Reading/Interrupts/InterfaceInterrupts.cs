using System.Globalization;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Interfaces;

namespace Spate.HostTuning.Reading.Interrupts;

/// <summary>Where interrupts are handled; for bonds, bridges and VLANs those of the devices below.</summary>
internal sealed record InterfaceInterrupts
{
    public required string Name { get; init; }

    /// <summary>Itself for a card, those below for a bond, bridge or VLAN; empty for none.</summary>
    public IReadOnlyList<string> DeviceNames { get; init; } = [];

    /// <summary>Null without a device, where unknown, or on several nodes.</summary>
    public int? Node { get; init; }

    public IReadOnlyList<InterfaceInterrupt> Interrupts { get; init; } = [];

    /// <summary>Where receive packet steering (RPS) passes arrivals (scaling.rst); empty when it is off.</summary>
    public IReadOnlyList<int> SteeredCpuNumbers { get; init; } = [];

    /// <summary>In rising order.</summary>
    public IReadOnlyList<int> CpuNumbers
    {
        get
        {
            var numbers = new List<int>();
            foreach (InterfaceInterrupt interrupt in Interrupts)
            {
                numbers.AddRange(interrupt.CpuNumbers);
            }

            return CpuList.Distinct(numbers);
        }
    }

    /// <summary>Nothing is thrown for files that are missing, damaged or refused: these give empty facts.</summary>
    public static InterfaceInterrupts Read(string name, string rootPath = "/") => ReadAll([name], rootPath)[0];

    /// <summary>Each file of the host is read at most once.</summary>
    public static IReadOnlyList<InterfaceInterrupts> ReadAll(IReadOnlyList<string> names, string rootPath = "/")
    {
        var reader = new InterruptReader(new HostFiles(rootPath));
        return [.. names.Select(reader.Read)];
    }
}

/// <summary>One interrupt of an interface's queues. Unknown texts and lists are empty.</summary>
/// <param name="Name">The driver's name for it, for example <c>virtio2-input.0</c>.</param>
internal sealed record InterfaceInterrupt(
    int Number, string Name, InterruptDirection Direction, IReadOnlyList<int> CpuNumbers);

internal enum InterruptDirection
{
    /// <summary>Or the driver's name for it does not tell.</summary>
    Both,

    Receive,

    Send,
}

/// <summary>Finds an interface's devices, their interrupts, and the CPUs that handle these.</summary>
internal sealed class InterruptReader(HostFiles files)
{
    // Bounds for unusual trees. A bond of a few cards, each with a queue per CPU, lies well within them.
    private const int MaxDepth = 4;
    private const int MaxInterfaces = 32;
    private const int MaxInterrupts = 4096;
    private const int MaxEntries = 16_384;

    private readonly InterruptTable _table = new(files);

    public InterfaceInterrupts Read(string name)
    {
        var interrupts = new List<InterfaceInterrupt>();
        var steered = new List<int>();
        var nodes = new List<int>();
        var devices = new List<string>();
        var seen = new List<string>();
        Collect(name, 0);
        return new InterfaceInterrupts
        {
            Name = name,
            DeviceNames = devices,
            Node = nodes.Count > 0 && nodes.TrueForAll(node => node == nodes[0]) && nodes[0] >= 0 ? nodes[0] : null,
            Interrupts = interrupts,
            SteeredCpuNumbers = CpuList.Distinct(steered),
        };

        void Collect(string member, int depth)
        {
            if (seen.Contains(member) || seen.Count == MaxInterfaces
                || SysfsDevice.InterfacePath(files, member) is not { } path)
            {
                return;
            }

            seen.Add(member);
            steered.AddRange(ReadSteered(path));
            if (SysfsDevice.DevicePath(files, path) is { } device)
            {
                devices.Add(member);
                nodes.Add(ReadNode(device));
                interrupts.AddRange(ReadQueues(member, device));
                return;
            }

            foreach (string entry in depth < MaxDepth ? files.ListNames(path, MaxEntries) : [])
            {
                // The kernel links a bond's, bridge's or VLAN's members as lower_NAME.
                if (entry.StartsWith("lower_", StringComparison.Ordinal)) Collect(entry["lower_".Length..], depth + 1);
            }
        }
    }

    // The node is -1 where the firmware does not tell.
    private int ReadNode(string device) => (int)Math.Clamp(
        files.ReadNumber(device + "/numa_node")
            ?? files.ReadNumber(SysfsDevice.Parent(device) + "/numa_node")
            ?? -1,
        -1,
        int.MaxValue);

    private List<int> ReadSteered(string interfacePath)
    {
        var steered = new List<int>();
        string queues = interfacePath + "/queues";
        foreach (string queue in files.ListNames(queues, MaxEntries))
        {
            if (queue.StartsWith("rx-", StringComparison.Ordinal)
                && CpuList.TryParseMask(files.ReadLine($"{queues}/{queue}/rps_cpus"), out IReadOnlyList<int> cpus))
            {
                steered.AddRange(cpus);
            }
        }

        return steered;
    }

    private List<InterfaceInterrupt> ReadQueues(string interfaceName, string device)
    {
        var all = new List<InterfaceInterrupt>();
        foreach (int number in FindNumbers(interfaceName, device))
        {
            string name = NameOf(number);
            all.Add(new InterfaceInterrupt(number, name, InterruptNames.DirectionOf(name), ReadCpus(number)));
        }

        // A card has more vectors than queues. An unused vector has no name; others are for control. Drivers with
        // "eth0-TxRx-0" name the control vector "eth0".
        List<InterfaceInterrupt> queues = all.FindAll(interrupt =>
            interrupt.Name.Length > 0 && !interrupt.Name.Equals(interfaceName, StringComparison.Ordinal)
            && !InterruptNames.IsControl(interrupt.Name));
        return queues.Count > 0 ? queues : all;
    }

    private List<int> FindNumbers(string interfaceName, string device)
    {
        var numbers = new List<int>();
        foreach (string owner in (string[])[device, SysfsDevice.Parent(device)])
        {
            foreach (string entry in numbers.Count == 0 ? files.ListNames(owner + "/msi_irqs", MaxInterrupts) : [])
            {
                if (int.TryParse(entry, NumberStyles.None, CultureInfo.InvariantCulture, out int number))
                {
                    numbers.Add(number);
                }
            }
        }

        if (numbers.Count == 0) AddByName(numbers, interfaceName, SysfsDevice.NameOf(device));

        numbers.Sort();
        return numbers;
    }

    // A method of its own, because code for a dictionary of structs is compiled with its method, and most hosts never
    // call this one.
    private void AddByName(List<int> numbers, string interfaceName, string deviceName)
    {
        foreach ((int number, InterruptTable.Row row) in _table.Rows)
        {
            if (numbers.Count < MaxInterrupts && (InterruptNames.BelongsTo(row.Name, interfaceName)
                || InterruptNames.BelongsTo(row.Name, deviceName)))
            {
                numbers.Add(number);
            }
        }
    }

    private string NameOf(int number)
    {
        // The handler's name is the one directory among the files.
        string directory = $"proc/irq/{number}";
        foreach (string entry in files.ListNames(directory, maxCount: 64))
        {
            if (files.DirectoryExists($"{directory}/{entry}")) return entry;
        }

        return _table.NameOf(number);
    }

    private IReadOnlyList<int> ReadCpus(int number)
    {
        if (CpuList.TryParse(files.ReadLine($"proc/irq/{number}/effective_affinity_list"), out IReadOnlyList<int> cpus)
            && cpus.Count > 0)
        {
            return cpus;
        }

        _ = CpuList.TryParse(files.ReadLine($"proc/irq/{number}/smp_affinity_list"), out IReadOnlyList<int> allowed);
        if (allowed.Count == 1) return allowed;

        // smp_affinity_list names the CPUs that may handle the interrupt, usually all; the counts tell which one did.
        return _table.BusiestCpuOf(number) is { } busiest
            && (allowed.Count == 0 || CpuList.Contains(allowed, busiest))
                ? [busiest]
                : [];
    }
}

/// <summary><c>/proc/interrupts</c>, read only when needed: with hundreds of CPUs it has megabytes.</summary>
internal sealed class InterruptTable(HostFiles files)
{
    private Dictionary<int, Row>? _rows;

    internal readonly record struct Row(string Name, int? BusiestCpu, long Count);

    public IReadOnlyDictionary<int, Row> Rows => _rows ??= Read();

    /// <summary>
    /// How often each was handled since the start, on all CPUs together, by its number. The file is long on machines
    /// with many CPUs.
    /// </summary>
    public static IReadOnlyDictionary<int, long> ReadCounts(string rootPath = "/") =>
        new InterruptTable(new HostFiles(rootPath)).Rows.ToDictionary(
            static row => row.Key, static row => row.Value.Count);

    public string NameOf(int number) => Rows.TryGetValue(number, out Row row) ? row.Name : "";

    public int? BusiestCpuOf(int number) => Rows.TryGetValue(number, out Row row) ? row.BusiestCpu : null;

    private Dictionary<int, Row> Read()
    {
        var rows = new Dictionary<int, Row>();
        List<int>? columns = null;
        foreach (string line in files.ReadLines("proc/interrupts"))
        {
            string[] words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
            if (columns is null)
            {
                columns = ReadColumns(words);
            }
            else if (words.Length > 1 && words[0].EndsWith(':') && ParseNumber(words[0].AsSpan()[..^1]) is { } number)
            {
                rows[number] = ReadRow(words, columns);
            }
        }

        return rows;
    }

    // The header names the online CPUs only: "CPU0 CPU1 CPU8".
    private static List<int> ReadColumns(string[] words)
    {
        var columns = new List<int>(words.Length);
        foreach (string word in words)
        {
            if (word.StartsWith("CPU", StringComparison.Ordinal) && ParseNumber(word.AsSpan(3)) is { } number)
            {
                columns.Add(number);
            }
        }

        return columns;
    }

    private static Row ReadRow(string[] words, List<int> columns)
    {
        int? busiest = null;
        long maxCount = 0;
        long sum = 0;
        int counts = 0;
        for (; counts < columns.Count && counts + 1 < words.Length; counts++)
        {
            if (!long.TryParse(words[counts + 1], NumberStyles.None, CultureInfo.InvariantCulture, out long count))
            {
                break;
            }

            sum += count;
            if (count > maxCount)
            {
                maxCount = count;
                busiest = columns[counts];
            }
        }

        return new Row(words.Length > counts + 1 ? words[^1] : "", busiest, sum);
    }

    private static int? ParseNumber(ReadOnlySpan<char> text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int value)
            ? value
            : null;
}

/// <summary>The names that drivers give their interrupts. They follow no rule; these are the common forms.</summary>
internal static class InterruptNames
{
    // virtio "virtio2-config", mlx5 "mlx5_async0@pci:...", ena "ena-mgmnt@pci:...", i40e and ice "...:misc",
    // ixgbevf "...-mbx": set-up and errors, never datagrams.
    private static readonly string[] Control = ["-config", "async", "mgmnt", "misc", "mbx", "-event"];

    public static bool IsControl(string name) =>
        Array.Exists(Control, part => name.Contains(part, StringComparison.OrdinalIgnoreCase));

    public static InterruptDirection DirectionOf(string name)
    {
        if (name.Contains("txrx", StringComparison.OrdinalIgnoreCase)
            || name.Contains("tx-rx", StringComparison.OrdinalIgnoreCase))
        {
            return InterruptDirection.Both;
        }

        bool receives = HasPart(name, "input") || HasPart(name, "rx");
        bool sends = HasPart(name, "output") || HasPart(name, "tx");
        return receives == sends
            ? InterruptDirection.Both
            : receives ? InterruptDirection.Receive : InterruptDirection.Send;
    }

    /// <summary>The owner's name, alone or followed by a separator.</summary>
    public static bool BelongsTo(string name, string owner) =>
        owner.Length > 0 && name.StartsWith(owner, StringComparison.Ordinal)
        && (name.Length == owner.Length || "-:._@".Contains(name[owner.Length], StringComparison.Ordinal));

    // "eth0-rx-0" and "virtio2-input.0" have the part, "matrix0" has not.
    private static bool HasPart(string name, string part)
    {
        int at = name.IndexOf(part, StringComparison.OrdinalIgnoreCase);
        while (at >= 0)
        {
            int end = at + part.Length;
            if ((at == 0 || !char.IsAsciiLetter(name[at - 1]))
                && (end == name.Length || !char.IsAsciiLetter(name[end])))
            {
                return true;
            }

            at = name.IndexOf(part, end, StringComparison.OrdinalIgnoreCase);
        }

        return false;
    }
}
