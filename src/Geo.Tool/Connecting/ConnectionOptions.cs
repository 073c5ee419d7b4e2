using System.CommandLine;

namespace Geo.Tool.Connecting;

/// <summary>Which endpoint is asked, and with which key.</summary>
internal sealed class ConnectionOptions
{
    private const string UrlVariable = "GEO_URL";
    private const string KeyVariable = "GEO_KEY";
    private const string AuthorityVariable = "GEO_AUTHORITY";

    private readonly Option<string?> _url = new("--url")
    {
        Description = $"The admin endpoint of a silo. Else {UrlVariable} in the environment, else http://127.0.0.1:7300.",
        Recursive = true,
    };

    private readonly Option<string?> _keyFile = new("--key-file")
    {
        Description = $"A file with the endpoint's key. Else {KeyVariable} in the environment; others can read the command line.",
        Recursive = true,
    };

    private readonly Option<string?> _authority = new("--authority")
    {
        Description = "A PEM file with the authority of the endpoint's certificate. "
            + $"Else {AuthorityVariable} in the environment, else those that this machine trusts.",
        Recursive = true,
    };

    /// <summary>Adds the options to a command and those below it.</summary>
    public void AddTo(Command command)
    {
        command.Options.Add(_url);
        command.Options.Add(_keyFile);
        command.Options.Add(_authority);
    }

    /// <summary>The way to the endpoint.</summary>
    /// <exception cref="ToolException">An option cannot be.</exception>
    public AdminClient Open(ParseResult parsed)
    {
        var url = parsed.GetValue(_url) ?? Environment.GetEnvironmentVariable(UrlVariable) ?? "http://127.0.0.1:7300";
        if (!Uri.TryCreate(url, UriKind.Absolute, out var address) || address.Scheme is not ("http" or "https"))
        {
            throw new ToolException($"'{url}' is no address of an endpoint, such as http://127.0.0.1:7300.");
        }

        if (address.Scheme == "http" && !address.IsLoopback)
        {
            throw new ToolException($"{address} is beyond this machine and without TLS: the key would be read by others. Use https.");
        }

        var authority = parsed.GetValue(_authority) ?? Environment.GetEnvironmentVariable(AuthorityVariable);
        return new AdminClient(address, Key(parsed), authority);
    }

    private string Key(ParseResult parsed)
    {
        try
        {
            var key = parsed.GetValue(_keyFile) is { } file
                ? File.ReadAllText(file).Trim()
                : Environment.GetEnvironmentVariable(KeyVariable);
            return !string.IsNullOrEmpty(key) ? key : throw new ToolException(
                $"There is no key: name a file with --key-file, or set {KeyVariable}.");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new ToolException($"The key cannot be read: {e.Message}", e);
        }
    }
}
