package client_test

import (
	"context"
	"fmt"
	"os"

	"github.com/google/uuid"

	"readiness/client"
)

// Assess a semantic model, wait for the operation to end, and read the score.
func ExampleResult() {
	ctx := context.Background()
	s, err := client.Open("https://readiness.example.com", client.Options{Token: client.Token(os.Getenv("READINESS_CLIENT_TOKEN"))})
	if err != nil {
		fmt.Println(err)
		return
	}
	workspaceID, semanticModelID := uuid.MustParse("dd861a23-9ffc-5a77-a120-f2f1e51bfd19"), uuid.MustParse("63f8bf57-ab8c-5e3a-92f1-842df8148104")
	started, err := s.AssessSemanticModelWithResponse(ctx, workspaceID, semanticModelID, nil)
	if err != nil {
		fmt.Println(err) // with the code, its parameters and the request id
		return
	}
	assessment, err := client.Result[client.Assessment](ctx, s, started.JSON202.OperationID)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(assessment.Score)
}
