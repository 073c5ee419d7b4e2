namespace TpcwMini.Store;

/// <summary>A folder that is made when needed and gone afterwards.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    private DirectoryInfo? _folder;

    public string File(string name)
    {
        _folder ??= Directory.CreateTempSubdirectory("tpcw-mini-");
        return Path.Combine(_folder.FullName, name);
    }

    public void Dispose() => _folder?.Delete(recursive: true);
}
