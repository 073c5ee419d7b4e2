namespace TpcwMini.Tests.EndToEnd;

/// <summary>A folder of the test's own, gone afterwards.</summary>
internal sealed class WorkFolder : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tpcw-mini-test-");

    public string Path => _folder.FullName;

    public string File(string name) => System.IO.Path.Combine(Path, name);

    public void Dispose() => _folder.Delete(recursive: true);
}
