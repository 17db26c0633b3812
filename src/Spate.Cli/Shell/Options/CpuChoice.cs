using Spate.HostTuning.Reading.Cpus;

namespace Spate.Cli.Shell.Options;

/// <summary>The CPUs to run on. Flows or threads take them in turn.</summary>
/// <param name="Numbers">The CPU numbers in the order given; empty when the system or <c>auto</c> chooses.</param>
/// <param name="IsAny">Whether <c>any</c> was asked for: threads are free to move, wherever their peer is.</param>
internal sealed record CpuChoice(IReadOnlyList<int> Numbers, bool IsAutomatic, bool IsAny = false)
{
    public const string Any = "any";

    private const string Expected = "CPU numbers such as 2 or 2,3 or 0-3, or auto";

    public static CpuChoice None { get; } = new([], IsAutomatic: false);

    /// <summary>Reads the text and checks every number against the CPUs that this process may use.</summary>
    public static CpuChoice Parse(
        string text, CpuFacts cpus, bool takesTwice = false, string option = "--cpu", bool takesAny = false)
    {
        if (text.Equals("auto", StringComparison.OrdinalIgnoreCase)) return new CpuChoice([], IsAutomatic: true);

        if (takesAny && text.Equals(Any, StringComparison.OrdinalIgnoreCase)) return None with { IsAny = true };

        List<int> numbers = ParseNumbers(option, text, takesTwice, takesAny);
        Check(option, numbers, cpus);
        return new CpuChoice(numbers, IsAutomatic: false);
    }

    public static CpuChoice ParseHere(
        string text, bool takesTwice = false, string option = "--cpu", bool takesAny = false)
    {
        CpuChoice choice = Parse(text, CpuFacts.Read(), takesTwice, option, takesAny);
        if (choice.IsAutomatic || choice.Numbers.Count > 0) RequireAffinity(option, OperatingSystem.IsLinux());
        return choice;
    }

    /// <summary>Refuses to choose CPUs where threads cannot be bound to them.</summary>
    public static void RequireAffinity(string option, bool isLinux)
    {
        if (isLinux) return;

        throw CommandException.Refused(
            $"{option}: threads can be bound to CPUs on Linux only: leave {option} out", DocsAnchor.NotSupported);
    }

    public static List<int> ParseNumbers(string option, string text, bool takesTwice = false, bool takesAny = false)
    {
        var numbers = new List<int>();
        foreach (string part in text.Split(','))
        {
            if (part.Length == 0 || !CpuList.TryParse(part, out IReadOnlyList<int> range))
            {
                throw CommandException.WrongUse($"{option} {text} is not a list of CPUs: expected {Expected}"
                    + (takesAny ? $", or {Any}" : ""));
            }

            numbers.AddRange(range);
        }

        if (!takesTwice && numbers.Distinct().Count() != numbers.Count)
        {
            throw CommandException.WrongUse($"{option} has a CPU twice: give each once; threads use them in turn");
        }

        return numbers;
    }

    private static void Check(string option, List<int> numbers, CpuFacts cpus)
    {
        IReadOnlyList<int> usable = cpus.UsableNumbers;
        foreach (int number in numbers)
        {
            if (!cpus.All.Any(cpu => cpu.Number == number))
            {
                throw CommandException.WrongUse($"{option} {number}: this CPU does not exist; usable: "
                    + CpuList.Format(usable));
            }

            if (!usable.Contains(number))
            {
                throw CommandException.WrongUse($"{option} {number}: this process may not use this CPU; usable: "
                    + CpuList.Format(usable));
            }
        }
    }
}
