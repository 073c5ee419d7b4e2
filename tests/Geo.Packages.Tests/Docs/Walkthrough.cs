using Geo.Packages.Tests.Kit;

namespace Geo.Packages.Tests.Docs;

/// <summary>Does what a page says, word for word: commands are run, files are written with what stands below their names.</summary>
internal sealed class Walkthrough(string page, PackedPackages packages)
{
    private readonly Queue<Block> _blocks = new(Page.Blocks(page));
    private string _folder = packages.NewFolder();

    /// <summary>Goes on to the next <c>dotnet run</c> of the page, and starts it.</summary>
    public async Task<RunningProgram> NextProgramAsync()
    {
        while (_blocks.TryDequeue(out var block))
        {
            if (block.File is { } file)
            {
                await File.WriteAllTextAsync(Path.Combine(_folder, file), block.Text, TestContext.Current.CancellationToken);
            }

            if (block.Language == "sh" && await RunAsync(block) is { } program)
            {
                return program;
            }
        }

        throw new InvalidOperationException($"{page} runs no further program.");
    }

    private async Task<RunningProgram?> RunAsync(Block block)
    {
        foreach (var words in block.Lines.Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries)))
        {
            switch (words)
            {
                case ["cd", var folder]:
                    _folder = Path.GetFullPath(folder, _folder);
                    break;
                case ["dotnet", "run", ..]:
                    return RunningProgram.Start(_folder, words[1..], packages.Environment);
                case ["dotnet", ..]:
                    await DotNet.RunAsync(_folder, words[1..], packages.Environment);
                    break;
                default:
                    throw new InvalidOperationException($"{block} has a command that this test does not know: {string.Join(' ', words)}");
            }
        }

        return null;
    }
}
