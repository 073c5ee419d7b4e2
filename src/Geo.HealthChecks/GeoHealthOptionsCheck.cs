using System.ComponentModel.DataAnnotations;
using Microsoft.Extensions.Options;

namespace Geo.HealthChecks;

/// <summary>Checks the settings when the host starts.</summary>
internal sealed class GeoHealthOptionsCheck : IValidateOptions<GeoHealthOptions>
{
    /// <inheritdoc/>
    /// <exception cref="GeoConfigurationException">A setting cannot be.</exception>
    public ValidateOptionsResult Validate(string? name, GeoHealthOptions options)
    {
        var faults = new List<ValidationResult>();
        if (!Validator.TryValidateObject(options, new ValidationContext(options), faults, validateAllProperties: true))
        {
            throw new GeoConfigurationException($"The settings of the health checks of Geo cannot be: {string.Join(" ", faults)}");
        }

        return options.StoreTimeout > options.SlowStore ? ValidateOptionsResult.Success : throw new GeoConfigurationException(
            $"The settings of the health checks of Geo cannot be: {nameof(GeoHealthOptions.StoreTimeout)} ({options.StoreTimeout}) must be "
            + $"longer than {nameof(GeoHealthOptions.SlowStore)} ({options.SlowStore}).");
    }
}
