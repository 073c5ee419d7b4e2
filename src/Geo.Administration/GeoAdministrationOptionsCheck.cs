using System.ComponentModel.DataAnnotations;
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
        var faults = new List<ValidationResult>();
        var fault = !Validator.TryValidateObject(options, new ValidationContext(options), faults, validateAllProperties: true)
            ? string.Join(" ", faults)
            : Encoding.UTF8.GetByteCount(options.Key) < LeastKeyBytes || options.Key.Any(char.IsWhiteSpace)
                ? $"Key must have {LeastKeyBytes} bytes or more, without white space; make one with `openssl rand -hex 32`."
            : !IPEndPoint.TryParse(options.ListenOn, out var address)
                ? $"ListenOn '{options.ListenOn}' is no address such as 127.0.0.1:7300 or [::1]:7300."
            : !NamesPort(options.ListenOn)
                ? $"ListenOn '{options.ListenOn}' names no port; 127.0.0.1:7300 is an example, and port 0 takes a free one."
            : !IPAddress.IsLoopback(address.Address) && options.CertificateFile is null
                ? $"ListenOn '{options.ListenOn}' is beyond this machine, where the key would be read by others; give CertificateFile."
            : options.AnswerTimeout <= health.Value.SlowStore
                ? $"{nameof(options.AnswerTimeout)} ({options.AnswerTimeout}) must be longer than {nameof(GeoHealthOptions.SlowStore)} "
                    + $"({health.Value.SlowStore}) of the health checks."
            : null;
        return fault is null ? ValidateOptionsResult.Success
            : throw new GeoConfigurationException($"The settings of the admin endpoint of Geo cannot be: {fault}");
    }

    // An address alone parses as one with port 0, and an address in brackets parses with its port as one alone.
    private static bool NamesPort(string address) =>
        address.Contains("]:", StringComparison.Ordinal) || !IPAddress.TryParse(address, out _);
}
