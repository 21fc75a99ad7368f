package main

import (
	"context"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"readiness/cmd/cli"
)

// startTracing exports traces if OpenTelemetry's environment variables configure an OTLP endpoint; otherwise it returns
// nil.
func startTracing(ctx context.Context, life *lifetime) (trace.TracerProvider, error) {
	if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
		return nil, nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, err
	}
	about, err := thisProgram()
	if err != nil {
		return nil, err
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	life.then("tracing", provider.Shutdown)
	return provider, nil
}

// thisProgram describes the process to OpenTelemetry.
func thisProgram() (*resource.Resource, error) {
	return resource.Merge(resource.Default(), resource.NewSchemaless(attribute.String("service.name", "readiness"),
		attribute.String("service.version", cli.Version())))
}

// startMetrics also exports the registry's metrics if OpenTelemetry's environment variables configure an OTLP endpoint for them.
func startMetrics(ctx context.Context, life *lifetime, registry *prometheus.Registry) error {
	if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT") == "" ||
		os.Getenv("OTEL_METRICS_EXPORTER") == "none" {
		return nil
	}
	exporter, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return err
	}
	about, err := thisProgram()
	if err != nil {
		return err
	}
	reader := sdkmetric.NewPeriodicReader(exporter, sdkmetric.WithProducer(bridge.NewMetricProducer(bridge.WithGatherer(registry))))
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader), sdkmetric.WithResource(about))
	life.then("metrics over OTLP", provider.Shutdown)
	return nil
}
