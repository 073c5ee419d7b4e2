using System.Text.Json;

namespace TpcwMini.Tests.EndToEnd;

/// <summary>One run of every variant, shared by the tests that look at it.</summary>
public sealed class MatrixRun : IAsyncLifetime
{
    internal SampleOutcome Outcome { get; private set; } = new(-1, "", "");

    internal JsonElement Json { get; private set; }

    public async ValueTask InitializeAsync()
    {
        using var folder = new WorkFolder();
        var json = folder.File("matrix.json");
        var html = folder.File("matrix.html");
        Outcome = await SampleProcess.RunAsync(
            folder,
            [
                .. SmallLoad.Options, "--seconds", "2", "--matrix", "--account", "throttled", "--levels", "1", "--repeats", "1",
                "--runs", folder.File("matrix.jsonl"), "--json", json, "--html", html,
            ]);
        Outcome.AssertPassed();
        Assert.Contains("<svg", await File.ReadAllTextAsync(html));
        using var document = JsonDocument.Parse(await File.ReadAllTextAsync(json));
        Json = document.RootElement.Clone();
    }

    public ValueTask DisposeAsync() => default;
}
