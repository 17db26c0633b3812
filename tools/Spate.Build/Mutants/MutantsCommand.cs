using System.CommandLine;

namespace Spate.Build.Mutants;

/// <summary><c>mutants</c>: changes the code in small ways, and shows which changes no test notices.</summary>
internal static class MutantsCommand
{
    public static Command Create() => new(
        "mutants", "Changes the code in small ways, and names changes that no test notices.")
    {
        CreateDraw(), CreateRun(), CreateRecord(), CreateCompare(),
    };

    private static Option<string> ListOption() => new("--list")
    {
        Description = "the list of mutants, with their recorded outcomes",
        DefaultValueFactory = static _ => MutantFile.List,
    };

    private static Command CreateDraw()
    {
        var seed = new Option<int>("--seed") { Description = "repeats a draw", Required = true };
        Option<int> count = Number.Option("--count", "mutants", 1, int.MaxValue, 60);
        Option<string> list = ListOption();
        var command = new Command("draw", "Draws mutants from all projects under src, and writes the list.")
        {
            seed, count, list,
        };
        command.SetAction(parsed => MutantFile.Write(
            parsed.GetValue(list)!,
            Draw.From(SourceTree.Read(".").Mutants(), parsed.GetValue(seed), parsed.GetValue(count))));
        return command;
    }

    private static Command CreateRun()
    {
        Option<string> list = ListOption();
        var results = new Option<string?>("--results")
        {
            Description = "the file that gets a line per tried mutant; a run goes on where the file ends",
        };
        var only = new Option<string>("--only")
        {
            Description = "K..L: the lines K to L of the list",
            DefaultValueFactory = static _ => "",
        };
        var shard = new Option<string>("--shard")
        {
            Description = "I/N: each Nth mutant from the Ith on",
            DefaultValueFactory = static _ => "1/1",
        };
        var tree = new Option<string?>("--tree")
        {
            Description = "keeps the built copy in this folder; a copy that is there is used as it is",
        };
        Option<int> seconds = Number.Option("--seconds", "limit of the tests per mutant", 1, Number.MaxSeconds, 120);
        var command = new Command("run", "Tries each mutant of the list in a copy of the repository's last commit.")
        {
            list, results, only, shard, tree, seconds,
        };
        command.SetAction((parsed, stop) => MutantsRun.OfAsync(
            MutantsRun.Select(MutantFile.Read(parsed.GetValue(list)!), parsed.GetValue(only)!, parsed.GetValue(shard)!),
            parsed.GetValue(results), parsed.GetValue(tree), TimeSpan.FromSeconds(parsed.GetValue(seconds)),
            Console.Out, stop));
        return command;
    }

    private static Command CreateRecord()
    {
        Option<string> list = ListOption();
        var results = new Argument<string[]>("RESULTS") { Arity = ArgumentArity.OneOrMore };
        var command = new Command("record", "Writes outcomes of runs into the list.") { results, list };
        command.SetAction(parsed =>
        {
            var outcomes = parsed.GetValue(results)!.SelectMany(MutantFile.ReadResults)
                .GroupBy(mutant => mutant.Key).ToDictionary(same => same.Key, same => same.Last());
            string path = parsed.GetValue(list)!;
            MutantFile.Write(path, MutantFile.Read(path).Select(one => outcomes.GetValueOrDefault(one.Key) ?? one));
        });
        return command;
    }

    private static Command CreateCompare()
    {
        var old = new Argument<string>("OLD") { Description = "a list or a file of results" };
        var @new = new Argument<string>("NEW") { Description = "a later one" };
        var command = new Command("compare", "Names the mutants that OLD kills and NEW does not.") { old, @new };
        command.SetAction(parsed => Summary.Compare(
            MutantFile.ReadResults(parsed.GetValue(old)!), MutantFile.ReadResults(parsed.GetValue(@new)!),
            Console.Out));
        return command;
    }
}
