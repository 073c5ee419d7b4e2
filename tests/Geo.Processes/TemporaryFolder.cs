namespace Geo.Processes;

/// <summary>A folder that is made when needed and gone afterwards.</summary>
public sealed class TemporaryFolder : IDisposable
{
    private DirectoryInfo? _folder;

    public string File(string name)
    {
        _folder ??= System.IO.Directory.CreateTempSubdirectory("geo-");
        return Path.Combine(_folder.FullName, name);
    }

    public void Dispose() => _folder?.Delete(recursive: true);
}
