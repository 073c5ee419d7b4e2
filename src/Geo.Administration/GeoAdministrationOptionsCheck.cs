using System.Net;
using System.Text;
using Geo.HealthChecks;
using Microsoft.Extensions.Options;

namespace Geo.Administration;

/// <summary>Checks the settings when the host starts.</summary>
internal sealed class GeoAdministrationOptionsCheck(IOptions<GeoHealthOptions> health) : IValidateOptions<GeoAdministrationOptions>
{
    private const int LeastKeyBytes = 32;

    /// <inheritdoc/>
    /// <exception cref="GeoConfigurationException">A setting cannot be.</exception>
    public ValidateOptionsResult Validate(string? name, GeoAdministrationOptions options)
    {
        OptionsCheck.Check("The options of the admin endpoint", [options], Broken(options, health.Value.SlowStore));
        return ValidateOptionsResult.Success;
    }

    private static IEnumerable<string> Broken(GeoAdministrationOptions options, TimeSpan slowStore)
    {
        if (options.Key is { } key && (Encoding.UTF8.GetByteCount(key) < LeastKeyBytes || key.Any(char.IsWhiteSpace)))
        {
            yield return $"Key must have {LeastKeyBytes} bytes or more, without white space; make one with `openssl rand -hex 32`";
        }

        if (!IPEndPoint.TryParse(options.ListenOn, out var address))
        {
            yield return $"ListenOn '{options.ListenOn}' is no address such as 127.0.0.1:7300 or [::1]:7300";
        }
        else if (!NamesPort(options.ListenOn))
        {
            yield return $"ListenOn '{options.ListenOn}' names no port; 127.0.0.1:7300 is an example, and port 0 takes a free one";
        }
        else if (!IPAddress.IsLoopback(address.Address) && options.CertificateFile is null)
        {
            yield return $"ListenOn '{options.ListenOn}' is beyond this machine, where the key would be read by others; "
                + "give CertificateFile";
        }

        if (options.AnswerTimeout <= slowStore)
        {
            yield return $"{nameof(options.AnswerTimeout)} ({options.AnswerTimeout}) must be longer than "
                + $"{nameof(GeoHealthOptions.SlowStore)} ({slowStore}) of the health checks";
        }
    }

    // An address alone parses as one with port 0, and an address in brackets parses with its port as one alone.
    private static bool NamesPort(string address) =>
        address.Contains("]:", StringComparison.Ordinal) || !IPAddress.TryParse(address, out _);
}
