using Microsoft.Extensions.Options;

namespace Geo.HealthChecks;

/// <summary>Checks the settings when the host starts.</summary>
internal sealed class GeoHealthOptionsCheck : IValidateOptions<GeoHealthOptions>
{
    /// <inheritdoc/>
    /// <exception cref="GeoConfigurationException">A setting cannot be.</exception>
    public ValidateOptionsResult Validate(string? name, GeoHealthOptions options)
    {
        OptionsCheck.Check(
            "The options of the health checks",
            [options],
            options.StoreTimeout > options.SlowStore ? null
                : $"{nameof(options.StoreTimeout)} ({options.StoreTimeout}) must be longer than {nameof(options.SlowStore)} "
                    + $"({options.SlowStore})");
        return ValidateOptionsResult.Success;
    }
}
